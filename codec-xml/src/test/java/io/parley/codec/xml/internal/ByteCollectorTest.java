package io.parley.codec.xml.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ByteCollectorTest {

    private static final int MAX_BYTES = 16 << 20;
    private static final int BLOCK_BYTES = 4096;

    @Test
    void content_largerThanTheRestOfTheDocument_growsInFewSteps() {
        ByteCollector collected = new ByteCollector(MAX_BYTES, () -> 0, new DecodeErrors(() -> "test"));
        Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        collected.begin(false);
        while (collected.count() < MAX_BYTES) {
            arrays.add(collected.reserve(BLOCK_BYTES));
            collected.advance(BLOCK_BYTES);
        }
        assertThat(arrays.size()).isLessThan(30);
        assertThat(collected.toPayload().size()).isEqualTo(MAX_BYTES);
    }

    @Test
    void content_ofTheRestOfTheDocument_takesItsSizeAtOnce() {
        int rest = 4 << 20;
        ByteCollector collected = new ByteCollector(MAX_BYTES, () -> rest, new DecodeErrors(() -> "test"));
        collected.begin(false);
        collected.reserve(1 << 20);
        collected.advance(1 << 20);
        byte[] array = collected.reserve(1);
        assertThat(array.length).isBetween((1 << 20) + rest, (1 << 20) + rest + (64 << 10));
    }
}
