package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.parley.Peer;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import io.parley.transport.tcp.TcpTransportProvider;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection over TCP and TLS that throws when a message is written. */
@Timeout(60)
class ConnectionFaultTest {

    private static final String CONTENT = "a message whose write fails";

    private final AtomicBoolean failed = new AtomicBoolean();

    private Object intercept(Connection connection, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("tryAppend")) {
            return false; // so that all frames are written
        }
        if (method.getName().equals("write")) {
            ByteBuf frame = (ByteBuf) arguments[0];
            if (frame.toString(StandardCharsets.ISO_8859_1).contains(CONTENT) && failed.compareAndSet(false, true)) {
                frame.release();
                throw new IllegalStateException("a fault of the test");
            }
        }
        return InterceptedTransportProvider.proceed(connection, method, arguments);
    }

    @Test
    void writeThrows_theConnectionEnds_andTheNextOneCarriesTheMessage() throws InterruptedException {
        try (Peer bob = Peer.loopback().start();
                Peer alice = Peer.loopback()
                        .transport(new InterceptedTransportProvider(new TcpTransportProvider(), this::intercept))
                        .start();
                InputPipe in = Pipes.of(bob).open("faults");
                OutputPipe out = connect(alice, in)) {
            Eventually.get(out.send(Message.of("text", CONTENT)), "the acknowledgement");
            assertThat(in.receive(Eventually.DEADLINE).orElseThrow().message().text("text"))
                    .contains(CONTENT);
            assertThat(failed).isTrue();
        }
    }

    private static OutputPipe connect(Peer alice, InputPipe in) throws InterruptedException {
        return Pipes.of(alice).connect(in.ticket(), Eventually.DEADLINE);
    }
}
