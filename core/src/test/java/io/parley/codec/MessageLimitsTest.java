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
        MessageLimits changed = defaults.toBuilder()
                .maxElements(1)
                .maxNameBytes(2)
                .maxNamespaces(3)
                .maxElementBytes(4)
                .maxMessageBytes(5)
                .build();
        assertThat(changed).isEqualTo(new MessageLimits(1, 2, 3, 4, 5));
    }

    @Test
    void valueOutOfRange_isNamedWithItsFieldAndRange() {
        assertThatThrownBy(() -> defaults.toBuilder().maxElements(-1).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxElements: -1 (expected: 0 to 2147483647)");
        assertThatThrownBy(() -> defaults.toBuilder().maxNameBytes(65_536).build())
                .hasMessage("maxNameBytes: 65536 (expected: 0 to 65535)");
        assertThatThrownBy(() -> defaults.toBuilder().maxNamespaces(65_534).build())
                .hasMessage("maxNamespaces: 65534 (expected: 0 to 65533)");
        assertThatThrownBy(() -> defaults.toBuilder().maxElementBytes(1L << 31).build())
                .hasMessage("maxElementBytes: 2147483648 (expected: 0 to 2147483639)");
        assertThatThrownBy(() -> defaults.toBuilder().maxMessageBytes(0).build())
                .hasMessage("maxMessageBytes: 0 (expected: 1 to 2147483639)");
    }
}
