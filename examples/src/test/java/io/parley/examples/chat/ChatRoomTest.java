package io.parley.examples.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.examples.conversation.Conversation;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChatRoomTest implements ChatScreen {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Peer host = Peer.loopback().start();
    private final Peer guest = Peer.builder().start();
    private final List<ChatLine> shown = new CopyOnWriteArrayList<>();

    @Override
    public void show(ChatLine line) {
        shown.add(line);
    }

    @Override
    public @Nullable String read() {
        return null;
    }

    @Override
    @AfterEach
    public void close() {
        guest.close();
        host.close();
    }

    @Test
    void participantsWithOneLongName_getDifferentNames() throws Exception {
        String name = "a".repeat(40);
        ChatRoom room = new ChatRoom(host, PipeId.random(GroupId.NET), name, this);
        try (Conversation first = join(room, name);
                Conversation second = join(room, name)) {
            first.send(ChatLine.note("one").toMessage());
            second.send(ChatLine.note("two").toMessage());

            await().atMost(TIMEOUT).until(() -> speakers().size() == 2);
            assertThat(speakers()).containsExactlyInAnyOrder("a".repeat(30) + "-2", "a".repeat(30) + "-3");
        }
    }

    private Conversation join(ChatRoom room, String name) throws InterruptedException {
        return Conversation.join(guest, room.ticket(), ChatRoom.TOPIC, ChatGuest.hello(name), TIMEOUT);
    }

    private List<String> speakers() {
        return shown.stream()
                .map(ChatLine::name)
                .filter(name -> !name.isEmpty())
                .toList();
    }
}
