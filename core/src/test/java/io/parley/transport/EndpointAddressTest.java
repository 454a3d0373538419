package io.parley.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointAddressTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"tcp://192.0.2.1:9701", "tcp://[2001:db8::1]:9701", "mem://w\u00f6rter", "tcp://example.org"})
    void parse_validAddress_hasTheSameText(String text) {
        assertThat(EndpointAddress.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 0x1b, 0x85, 0x9b, 0xa0, 0x2028, 0x202e})
    void parse_hostWithAHarmfulCharacter_isRejected_andNotRepeated(int codePoint) {
        String harmful = Character.toString(codePoint);
        assertThatThrownBy(() -> EndpointAddress.parse("tcp://a" + harmful + "b:9701"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.format("tcp://a\\u%04x", codePoint))
                .hasMessageNotContaining(harmful);
    }

    @Test
    void parse_longText_isClippedInTheMessage() {
        assertThatThrownBy(() -> EndpointAddress.parse("tcp://" + "x".repeat(400)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("x...'");
    }
}
