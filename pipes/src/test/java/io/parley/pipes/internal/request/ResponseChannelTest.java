package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Responses to a requester that does not read them at once, with a messenger whose queue the test controls. */
class ResponseChannelTest {

    private final List<Message> sent = new ArrayList<>();
    private int room;
    private CompletableFuture<Void> writable = new CompletableFuture<>();

    private final ResponseChannel channel = new ResponseChannel(
            (Messenger) Proxy.newProxyInstance(
                    Messenger.class.getClassLoader(),
                    new Class<?>[] {Messenger.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "send" -> send((Message) arguments[0]);
                        case "isWritable" -> room > 0;
                        case "isClosing" -> false;
                        case "whenWritable" -> room > 0 ? CompletableFuture.completedFuture(null) : writable;
                        case "toString" -> "messenger";
                        default -> throw new UnsupportedOperationException(method.getName());
                    }),
            "host");

    private CompletableFuture<Void> send(Message message) {
        if (room == 0) {
            return CompletableFuture.failedFuture(ErrorCode.QUEUE_FULL.exception("full"));
        }
        room--;
        sent.add(message);
        return CompletableFuture.completedFuture(null);
    }

    private void makeRoom(int messages) {
        room = messages;
        CompletableFuture<Void> before = writable;
        writable = new CompletableFuture<>();
        before.complete(null);
    }

    private static Message number(int number) {
        return Message.of("n", Integer.toString(number));
    }

    @Test
    void responsesWithoutRoom_waitInOrder_upToABound() {
        List<CompletableFuture<Void>> responses = new ArrayList<>();
        for (int i = 0; i < ResponseChannel.MAX_WAITING; i++) {
            responses.add(channel.send(number(i)));
        }
        assertThat(channel.isWritable()).isFalse();
        assertThat(Eventually.failure(channel.send(number(-1)), "one too many").getMessage())
                .contains("responses: 65");
        makeRoom(10);
        assertThat(sent).hasSize(10);
        assertThat(responses.get(9)).isCompleted();
        assertThat(responses.get(10)).isNotDone();
        CompletableFuture<Void> behind = channel.send(number(100));
        assertThat(behind).isNotDone();
        makeRoom(1000);
        assertThat(behind).isCompleted();
        assertThat(sent).hasSize(ResponseChannel.MAX_WAITING + 1).last().isEqualTo(number(100));
        assertThat(channel.isWritable()).isTrue();
        assertThat(channel.send(number(101))).isCompleted();
    }

    @Test
    void channelWithResponsesThatWait_isWritable_whenTheyAreSent() {
        CompletableFuture<Void> first = channel.send(number(0));
        channel.send(number(1));
        room = 2; // seen by another thread before the responses are sent
        assertThat(channel.isWritable()).isFalse();
        CompletableFuture<Void> whenWritable = channel.whenWritable();
        assertThat(whenWritable).isNotDone();
        makeRoom(1);
        assertThat(first).isCompleted();
        assertThat(whenWritable).isNotDone();
        makeRoom(2);
        assertThat(whenWritable).isCompleted();
        assertThat(channel.isWritable()).isTrue();
        assertThat(channel.whenWritable()).isCompleted();
    }

    @Test
    void closedMessenger_failsTheResponsesThatWait() {
        CompletableFuture<Void> response = channel.send(number(0));
        CompletableFuture<Void> whenWritable = channel.whenWritable();
        writable.completeExceptionally(ErrorCode.CLOSED.exception("closed"));
        assertThat(response).isCompletedExceptionally();
        assertThat(whenWritable).isCompletedExceptionally();
    }
}
