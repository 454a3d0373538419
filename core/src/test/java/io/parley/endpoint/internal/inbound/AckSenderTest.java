package io.parley.endpoint.internal.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.transport.Connection;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** When the acknowledgements of a stream are sent. The test decides what each look for further bytes finds. */
class AckSenderTest {

    private final Queue<Runnable> afterPoll = new ArrayDeque<>();
    private final List<Throwable> aborts = new ArrayList<>();
    private boolean writable = true;
    private int flushes;
    private int acknowledgements;
    private boolean due;
    private final AckSender acks = new AckSender(connection(), null); // no timer without responses

    private Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "runAfterPoll" -> afterPoll.add((Runnable) arguments[0]);
                        case "flush" -> flushes++;
                        case "abort" -> aborts.add((Throwable) arguments[0]);
                        case "isWritable" -> {
                            return writable;
                        }
                        default -> throw new UnsupportedOperationException(method.getName());
                    }
                    return null;
                });
    }

    private void read() {
        if (!due) {
            due = true;
            acks.add(() -> {
                due = false;
                acknowledgements++;
            });
        }
        acks.onReadComplete();
    }

    /** Lets the connection look for further bytes, and runs what waits for that. */
    private void poll(boolean arrived) {
        Runnable task = afterPoll.poll();
        if (arrived) {
            read();
        }
        if (task != null) {
            task.run();
        }
    }

    @Test
    void lastMessage_isAcknowledged_whenNoMoreHasArrived() {
        read();
        assertThat(flushes).isZero();
        poll(false);
        assertThat(acknowledgements).isEqualTo(1);
        assertThat(flushes).isEqualTo(1);
        assertThat(afterPoll).isEmpty();
    }

    @Test
    void stream_isAcknowledgedOnceInSomeReads_andAtItsEnd() {
        read();
        for (int reads = 1; reads < 3 * AckSender.MAX_READS + 2; reads++) {
            poll(true);
        }
        assertThat(acknowledgements).isEqualTo(3);
        assertThat(flushes).isEqualTo(3);
        poll(false);
        assertThat(acknowledgements).isEqualTo(4);
        assertThat(afterPoll).isEmpty();
    }

    @Test
    void acknowledgementThatWentWithAMessage_isNotSentAgain() {
        read();
        acks.onMessagesFollow();
        poll(false);
        assertThat(acknowledgements).isEqualTo(1);
        assertThat(flushes).isZero();
        read();
        poll(false);
        assertThat(acknowledgements).isEqualTo(2);
        assertThat(flushes).isEqualTo(1);
    }

    @Test
    void connectionThatIsNotWritable_isAcknowledgedToWhenItIs() {
        writable = false;
        read();
        poll(false);
        assertThat(acknowledgements).isZero();
        writable = true;
        acks.onWritable();
        assertThat(acknowledgements).isEqualTo(1);
    }

    @Test
    void acknowledgementThatFailsAfterTheRead_endsTheConnection() {
        Error failure = new LinkageError("thrown on purpose");
        acks.add(() -> {
            throw failure;
        });
        acks.onReadComplete();
        poll(false);
        assertThat(aborts).containsExactly(failure);
    }

    @Test
    void close_withAnAcknowledgementThatWaits_sendsNothing() {
        read();
        acks.close();
        poll(false);
        assertThat(acknowledgements).isZero();
        assertThat(flushes).isZero();
    }
}
