package io.parley.bench.jmh;

import io.parley.bench.codec.CodecFormat;
import io.parley.bench.codec.MessageSequence;
import io.parley.bench.workload.Workload;
import io.parley.message.Message;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encodes or decodes one message with each format: the next message of a {@link MessageSequence}, which restarts with
 * new sessions after its last message.
 */
@SuppressWarnings("NullAway.Init") // JMH sets the fields of the states before any other call
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Dio.netty.leakDetection.level=disabled")
@Warmup(iterations = 6, time = 1) // with a shorter warm-up the code for messages of a megabyte is not compiled yet
@Measurement(iterations = 15, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class CodecBenchmark {

    /** Encodes one message. */
    @Benchmark
    public int encode(Encoding encoding) {
        return encoding.sequence().encode();
    }

    /** Decodes one message. */
    @Benchmark
    public Message decode(Decoding decoding) {
        return decoding.sequence().decode();
    }

    /** A sequence of messages of one workload in one format. */
    @State(Scope.Benchmark)
    public abstract static class CodecState {

        /** The {@linkplain Workload#name name} of a workload. */
        @Param({
            "small-xml",
            "binary-1k",
            "binary-64k",
            "binary-1m",
            "employees-1",
            "employees-50",
            "employees-100",
            "employees-250",
            "employees-500",
            "employees-750",
            "employees-1000",
            "advertisements"
        })
        String composition = "";

        private MessageSequence sequence;

        abstract String codec();

        /** Creates the messages. */
        @Setup(Level.Trial)
        public void begin() {
            sequence = new MessageSequence(CodecFormat.ofLabel(codec()), Workload.named(composition));
        }

        /** Releases the messages. */
        @TearDown(Level.Trial)
        public void end() {
            sequence.close();
        }

        MessageSequence sequence() {
            return sequence;
        }
    }

    /** The formats whose encoders are measured. */
    public static class Encoding extends CodecState {

        /** The {@linkplain CodecFormat#label label} of a format. */
        @Param({"binary", "xml", "fastinfoset-fresh", "fastinfoset-retained"})
        String codec = "";

        @Override
        String codec() {
            return codec;
        }
    }

    /** All formats, including plain loops over the events of XML parsers. */
    public static class Decoding extends CodecState {

        /** The {@linkplain CodecFormat#label label} of a format. */
        @Param({"binary", "xml", "xml-aalto", "xml-woodstox", "fastinfoset-fresh", "fastinfoset-retained"})
        String codec = "";

        @Override
        String codec() {
            return codec;
        }
    }
}
