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
 * One message encoded, or decoded, by each format: the next one of a {@link MessageSequence}, which begins again with new
 * sessions when it is over.
 */
@SuppressWarnings("NullAway.Init") // the fields of the states are set before JMH calls anything else
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Dio.netty.leakDetection.level=disabled")
@Warmup(iterations = 6, time = 1) // less, and messages of a megabyte measure code that is not compiled yet
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class CodecBenchmark {

    /** Encodes one message. */
    @Benchmark
    public int encode(Encoding encoding) {
        return encoding.conversation().encode();
    }

    /** Decodes one message. */
    @Benchmark
    public Message decode(Decoding decoding) {
        return decoding.conversation().decode();
    }

    /** A conversation of one kind in one format. */
    @State(Scope.Benchmark)
    public abstract static class CodecState {

        /** A {@link Workload#name}. */
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

        private MessageSequence conversation;

        abstract String codec();

        /** Makes the messages. */
        @Setup(Level.Trial)
        public void begin() {
            conversation = new MessageSequence(CodecFormat.labelled(codec()), Workload.named(composition));
        }

        /** Lets go of them. */
        @TearDown(Level.Trial)
        public void end() {
            conversation.close();
        }

        MessageSequence conversation() {
            return conversation;
        }
    }

    /** In the formats that write. */
    public static class Encoding extends CodecState {

        /** A {@link CodecFormat#label}. */
        @Param({"binary", "xml", "fastinfoset-fresh", "fastinfoset-retained"})
        String codec = "";

        @Override
        String codec() {
            return codec;
        }
    }

    /** In all formats, and by plain loops over the events of XML parsers. */
    public static class Decoding extends CodecState {

        /** A {@link CodecFormat#label}. */
        @Param({"binary", "xml", "xml-aalto", "xml-woodstox", "fastinfoset-fresh", "fastinfoset-retained"})
        String codec = "";

        @Override
        String codec() {
            return codec;
        }
    }
}
