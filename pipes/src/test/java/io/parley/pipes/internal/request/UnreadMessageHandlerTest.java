package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.ReceivedMessage;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Every message of a closed pipe is released, whatever happens to those before it. */
final class UnreadMessageHandlerTest {

    private static final PeerId SENDER = Identity.generate().peerId();

    private final List<String> released = new ArrayList<>();

    /** A message that records its release. */
    private record RecordedMessage(PeerId from, Message message, List<String> released) implements ReceivedMessage {

        @Override
        public void release() {
            released.add(message.text("text").orElseThrow());
        }
    }

    @Test
    void messageThatCannotBeProcessed_doesNotKeepThoseAfterIt() {
        List<Runnable> tasks = new ArrayList<>();
        UnreadMessageHandler handler = new UnreadMessageHandler(
                received -> {
                    throw new IllegalStateException("on purpose");
                },
                true,
                tasks::add);
        handler.discard(message("1"));
        handler.discard(message("2"));
        assertThat(released).isEmpty();
        tasks.remove(0).run();
        assertThat(released).containsExactly("1", "2");
        handler.discard(message("3"));
        tasks.remove(0).run();
        assertThat(released).containsExactly("1", "2", "3");
    }

    @Test
    void executorThatRunsNoTask_messagesAreReleased() {
        UnreadMessageHandler handler = new UnreadMessageHandler(
                received -> {
                    throw new AssertionError("read");
                },
                true,
                task -> {
                    throw new RejectedExecutionException("on purpose");
                });
        handler.discard(message("1"));
        handler.discard(message("2"));
        assertThat(released).containsExactly("1", "2");
    }

    private ReceivedMessage message(String text) {
        return new RecordedMessage(SENDER, Message.of("text", text), released);
    }
}
