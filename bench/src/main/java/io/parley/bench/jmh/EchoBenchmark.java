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
 * Measures a round trip between two peers in one JVM, with a blocking caller. It is intended for {@code -prof gc},
 * which counts the allocations of sender and receiver together.
 */
@SuppressWarnings("NullAway.Init") // connect sets the fields before any other call by JMH
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 3, jvmArgsAppend = "-Dio.netty.leakDetection.level=disabled")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EchoBenchmark {

    /** The {@linkplain Contender#name name} of a contender; not one of JXTA, which allows one peer per JVM. */
    @Param({"sockets", "netty", "netty-tls", "parley-endpoint", "parley-pipe", "parley-endpoint-tls", "parley-pipe-tls"
    })
    String stack = "";

    /** The size of the message in bytes. */
    @Param("1024")
    int bytes;

    private Contender.Server server;
    private ContenderClient client;
    private BlockingCaller caller;

    /** Connects. JMH calls this method on the thread that runs the benchmark, which owns the caller. */
    @Setup(Level.Trial)
    public void connect() throws Exception {
        Contender contender = ContenderRegistry.named(stack);
        ProcessLocation site = new ProcessLocation(0, Files.createTempDirectory("parley-bench"));
        ReplyDispatcher replies = new ReplyDispatcher();
        server = contender.serve(site, new MessageCounter());
        client = contender.connect(server.address(), site, replies);
        client.prepare(bytes);
        caller = new BlockingCaller(client, replies);
    }

    /** Sends one message and waits for its echo. */
    @Benchmark
    public void roundTrip() throws Exception {
        caller.roundTrip();
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() throws Exception {
        client.close();
        server.close();
    }
}
