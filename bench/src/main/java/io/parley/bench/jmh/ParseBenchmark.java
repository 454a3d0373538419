package io.parley.bench.jmh;

import io.parley.bench.document.DocumentParser;
import io.parley.bench.document.EmployeeDocument;
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

/** Parses the same document as XML text and as Fast Infoset with several libraries, and reads every name and text. */
@SuppressWarnings("NullAway.Init") // JMH sets the fields before any other call
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class ParseBenchmark {

    /** The {@linkplain DocumentParser#label label} of a parser. */
    @Param({"xerces-sax", "woodstox-stax", "aalto-stax", "aalto-sax", "fastinfoset-sax", "fastinfoset-stax"})
    String parser = "";

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

    private DocumentParser.Parser openParser;
    private byte[] input;

    /** Creates the parser and the document. */
    @Setup(Level.Trial)
    public void open() throws Exception {
        DocumentParser chosen = DocumentParser.ofLabel(parser);
        openParser = chosen.open();
        input = chosen.input(EmployeeDocument.named(document));
    }

    /** Parses the whole document. */
    @Benchmark
    public long parse() throws Exception {
        return openParser.parse(input);
    }
}
