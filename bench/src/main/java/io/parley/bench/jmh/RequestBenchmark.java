package io.parley.bench.jmh;

import io.parley.bench.contender.RequestContenderClient;
import java.util.concurrent.CompletableFuture;
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

/** Measures a request and its response between two peers in one JVM, with a blocking caller. */
@SuppressWarnings("NullAway.Init") // connect sets the fields before any other call by JMH
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 3,
        jvmArgsAppend = {
            "-Dio.netty.leakDetection.level=disabled",
            "-Dio.grpc.netty.shaded.io.netty.leakDetection.level=disabled"
        })
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RequestBenchmark {

    private static final long TIMEOUT_SECONDS = 30;

    /** The name of a contender with requests. */
    @Param({"grpc", "parley-request"})
    String stack = "";

    /** The size of the request and of the response in bytes. */
    @Param("1024")
    int bytes;

    private ConnectedStack connected;
    private RequestContenderClient client;

    /** Connects. */
    @Setup(Level.Trial)
    public void connect() throws Exception {
        connected = ConnectedStack.connect(stack, bytes);
        client = (RequestContenderClient) connected.client();
    }

    /** Sends a request and waits for the response. Returns its size. */
    @Benchmark
    public int request() throws Exception {
        CompletableFuture<Integer> responded = new CompletableFuture<>();
        client.request((response, failure) -> {
            if (response == null) {
                responded.completeExceptionally(failure == null ? new IllegalStateException("no response") : failure);
            } else {
                responded.complete(response.length());
            }
        });
        return responded.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() throws Exception {
        connected.close();
    }
}
