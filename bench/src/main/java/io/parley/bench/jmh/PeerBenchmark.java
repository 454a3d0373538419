package io.parley.bench.jmh;

import io.parley.Peer;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import java.time.Duration;
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

/** Measures operations of a peer, with another peer in the same JVM. */
@SuppressWarnings("NullAway.Init") // start sets the fields before any other call by JMH
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 3, jvmArgsAppend = "-Dio.netty.leakDetection.level=disabled")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PeerBenchmark {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String REMOTE_PIPE = "bench-remote";

    /** The stack, for the report. */
    @Param("parley")
    String stack = "";

    private final PipeId ownPipe = PipeId.ofName(GroupId.NET, "bench-own");
    private Peer remote;
    private Peer peer;

    /** Starts both peers. */
    @Setup(Level.Trial)
    public void start() {
        remote = Peer.loopback().start();
        Pipes.of(remote).listen(PipeId.ofName(GroupId.NET, REMOTE_PIPE), message -> {});
        peer = Peer.loopback().start();
    }

    /** Starts a peer and closes it. */
    @Benchmark
    public void startAndClose() {
        Peer.loopback().start().close();
    }

    /** Opens the input pipe and closes it. */
    @Benchmark
    public void openInput() {
        Pipes.of(peer).listen(ownPipe, message -> {}).close();
    }

    /** Connects an output pipe to the pipe of the remote peer and closes it. Returns whether it could send. */
    @Benchmark
    public boolean openOutput() throws InterruptedException {
        try (OutputPipe pipe = Pipes.of(peer).connect(remote.address(), REMOTE_PIPE, TIMEOUT)) {
            return pipe.isWritable();
        }
    }

    /** Closes both peers. */
    @TearDown(Level.Trial)
    public void stop() {
        peer.close();
        remote.close();
    }
}
