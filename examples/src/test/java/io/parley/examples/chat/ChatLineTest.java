package io.parley.examples.chat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChatLineTest {

    @Test
    void json_distinguishesTheLinesOfParticipantsAndTheNotes() {
        assertThat(new ChatLine("anna", "hello").toJson())
                .hasToString("{\"event\":\"message\",\"name\":\"anna\",\"text\":\"hello\"}");
        assertThat(ChatLine.note("anna is here").toJson())
                .hasToString("{\"event\":\"note\",\"name\":\"\",\"text\":\"anna is here\"}");
    }
}
