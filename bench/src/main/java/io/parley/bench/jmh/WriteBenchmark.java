package io.parley.bench.jmh;

import io.parley.bench.document.DocumentWriter;
import io.parley.bench.document.EmployeeDocument;
import io.parley.bench.document.WriteStep;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Writes the same document as XML text and as Fast Infoset with the same calls of StAX. */
@SuppressWarnings("NullAway.Init") // JMH sets the fields before any other call
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class WriteBenchmark {

    /** The {@linkplain DocumentWriter#label label} of a writer. */
    @Param({"woodstox", "aalto", "fastinfoset"})
    String writer = "";

    /** The {@linkplain EmployeeDocument#name name} of a document. */
    @Param({
        "employees-1",
        "employees-50",
        "employees-100",
        "employees-250",
        "employees-500",
        "employees-750",
        "employees-1000"
    })
    String document = "";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private DocumentWriter.Writer openWriter;

    /** Creates the writer and its calls. */
    @Setup(Level.Trial)
    public void open() throws Exception {
        openWriter = DocumentWriter.ofLabel(writer)
                .open(WriteStep.of(EmployeeDocument.named(document).xml()));
    }

    /** Writes the whole document into memory and returns its size in bytes. */
    @Benchmark
    public int write() throws Exception {
        out.reset();
        openWriter.write(out);
        return out.size();
    }
}
