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

/** The same document written as XML text and as Fast Infoset, by the same calls of StAX. */
@SuppressWarnings("NullAway.Init") // the fields are set before JMH calls anything else
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class WriteBenchmark {

    /** A {@link DocumentWriter#label}. */
    @Param({"woodstox", "aalto", "fastinfoset"})
    String writer = "";

    /** An {@link EmployeeDocument#name}. */
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
    private DocumentWriter.Writer writing;

    /** Makes the writer and the calls. */
    @Setup(Level.Trial)
    public void open() throws Exception {
        writing = DocumentWriter.labelled(writer)
                .open(WriteStep.of(EmployeeDocument.named(document).xml()));
    }

    /** The whole document, into memory. */
    @Benchmark
    public int write() throws Exception {
        out.reset();
        writing.write(out);
        return out.size();
    }
}
