package io.parley.bench.jmh;

import io.parley.bench.contender.Contender;
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

    private ConnectedStack connected;

    /** Connects. JMH calls this method on the thread that runs the benchmark. */
    @Setup(Level.Trial)
    public void connect() throws Exception {
        connected = ConnectedStack.connect(stack, bytes);
    }

    /** Sends one message and waits for its echo. */
    @Benchmark
    public void roundTrip() throws Exception {
        connected.roundTrip();
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() throws Exception {
        connected.close();
    }
}
