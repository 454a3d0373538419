package io.parley.examples.shell;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.examples.MemoryNet;
import io.parley.examples.console.CommandFailedException;
import io.parley.pipes.InputPipe;
import io.parley.pipes.Pipes;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LineSenderTest {

    @Test
    void send_toAHolderThatHasGone_fails() throws Exception {
        try (MemoryNet network = new MemoryNet()) {
            Peer alice = network.start("alice");
            Peer bob = network.start("bob");
            InputPipe news = Pipes.of(bob).open("news");
            try (LineSender sender = LineSender.connect(alice.netGroup(), "news", Duration.ofSeconds(5))) {
                sender.send("arrives");
                news.close();
                bob.close();
                assertThatThrownBy(() -> sender.send("does not arrive"))
                        .isInstanceOf(CommandFailedException.class)
                        .hasMessageContaining("not sent: news has not accepted it within 5");
            }
        }
    }
}
