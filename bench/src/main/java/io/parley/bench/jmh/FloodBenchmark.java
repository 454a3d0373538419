package io.parley.bench.jmh;

import io.parley.bench.contender.Contender;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Measures messages one way between two peers in one JVM: the time of each, with as many on their way as back-pressure permits. */
@SuppressWarnings("NullAway.Init") // connect sets the fields before any other call by JMH
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 3, jvmArgsAppend = "-Dio.netty.leakDetection.level=disabled")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FloodBenchmark {

    private static final int MESSAGES = 1000;

    /** The {@linkplain Contender#name name} of a contender; not one of JXTA, which allows one peer per JVM. */
    @Param({"netty-arrays", "netty-tls-arrays", "parley-pipe", "parley-pipe-tls", "parley-pipe-secure"})
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

    /** Sends messages and waits until all have arrived. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void oneWay() throws Exception {
        connected.flood(MESSAGES);
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() throws Exception {
        connected.close();
    }
}
