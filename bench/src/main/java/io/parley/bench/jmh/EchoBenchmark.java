package io.parley.bench.jmh;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.worker.BlockingCaller;
import io.parley.bench.worker.ContenderRegistry;
import java.nio.file.Files;
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
 * A round trip between two peers in one JVM, with a blocking caller. Meant for {@code -prof gc}: what it counts is
 * sender and receiver together.
 */
@SuppressWarnings("NullAway.Init") // the fields are set by connect, before JMH calls anything else
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 3, jvmArgsAppend = "-Dio.netty.leakDetection.level=disabled")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EchoBenchmark {

    /** A {@link Contender#name}; any but the JXTA ones, which allow one peer per JVM. */
    @Param({"sockets", "netty", "netty-tls", "parley-endpoint", "parley-pipe", "parley-endpoint-tls", "parley-pipe-tls"
    })
    String stack = "";

    /** The size of the message. */
    @Param("1024")
    int bytes;

    private Contender.Server server;
    private ContenderClient link;
    private BlockingCaller caller;

    /** Connects. The caller belongs to the thread that runs the benchmark, which is this one. */
    @Setup(Level.Trial)
    public void connect() throws Exception {
        Contender contender = ContenderRegistry.named(stack);
        ProcessLocation site = new ProcessLocation(0, Files.createTempDirectory("parley-bench"));
        ReplyDispatcher replies = new ReplyDispatcher();
        server = contender.serve(site, new MessageCounter());
        link = contender.connect(server.address(), site, replies);
        link.prepare(bytes);
        caller = new BlockingCaller(link, replies);
    }

    /** One message there and back. */
    @Benchmark
    public void roundTrip() throws Exception {
        caller.roundTrip();
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() throws Exception {
        link.close();
        server.close();
    }
}
