package io.parley.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeakCheckTest {
    @Test
    void findLeaks_afterDroppedBuffer_namesItOnce() throws InterruptedException {
        drop(16);

        assertThat(LeakCheck.findLeaks())
                .singleElement()
                .asString()
                .startsWith("LEAK: ByteBuf")
                .contains("LeakCheckTest.drop");
        assertThat(LeakCheck.findLeaks()).isEmpty();
    }

    @Test
    void findLeaks_afterReleasedBuffers_isEmpty() throws InterruptedException {
        for (ByteBuf buffer : List.of(ByteBufAllocator.DEFAULT.buffer(16), Unpooled.directBuffer(16))) {
            assertThat(buffer.release()).isTrue();
        }

        assertThat(LeakCheck.findLeaks()).isEmpty();
    }

    /** Not inlined into the test, whose frame could keep the buffer alive. */
    private static void drop(int bytes) {
        ByteBufAllocator.DEFAULT.buffer(bytes).writeByte(1);
    }
}
