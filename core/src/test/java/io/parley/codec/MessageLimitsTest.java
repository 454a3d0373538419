package io.parley.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class MessageLimitsTest {
    private final MessageLimits defaults = MessageLimits.DEFAULTS;

    @Test
    void defaults_areFinite() {
        assertThat(defaults).isEqualTo(new MessageLimits(65_535, 4096, 4096, 64L << 20, 64L << 20));
    }

    @Test
    void with_changesOneField() {
        MessageLimits changed = defaults.withMaxElements(1)
                .withMaxNameBytes(2)
                .withMaxNamespaces(3)
                .withMaxElementBytes(4)
                .withMaxMessageBytes(5);
        assertThat(changed).isEqualTo(new MessageLimits(1, 2, 3, 4, 5));
    }

    @Test
    void valueOutOfRange_isNamedWithItsFieldAndRange() {
        assertThatThrownBy(() -> defaults.withMaxElements(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxElements: -1 (expected: 0 to 2147483647)");
        assertThatThrownBy(() -> defaults.withMaxNameBytes(65_536))
                .hasMessage("maxNameBytes: 65536 (expected: 0 to 65535)");
        assertThatThrownBy(() -> defaults.withMaxNamespaces(65_534))
                .hasMessage("maxNamespaces: 65534 (expected: 0 to 65533)");
        assertThatThrownBy(() -> defaults.withMaxElementBytes(1L << 31))
                .hasMessage("maxElementBytes: 2147483648 (expected: 0 to 2147483639)");
        assertThatThrownBy(() -> defaults.withMaxMessageBytes(0))
                .hasMessage("maxMessageBytes: 0 (expected: 1 to 2147483639)");
    }
}
