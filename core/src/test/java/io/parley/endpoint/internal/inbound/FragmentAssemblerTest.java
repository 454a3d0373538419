package io.parley.endpoint.internal.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.endpoint.internal.context.EndpointContext;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages in fragments: their content, and the memory that they need before they are complete. */
class FragmentAssemblerTest {

    @ParameterizedTest
    @CsvSource({
        "2, 1, false",
        "200000, 131072, false",
        "3000000, 131072, false",
        "3000000, 1000, false",
        "3000000, 131072, true",
        "3000000, 1000, true"
    })
    void message_isAssembled(int total, int fragment, boolean zeroCopy) {
        byte[] message = new byte[total];
        new Random(Long.getLong("parley.test.seed", 5)).nextBytes(message);
        FragmentAssembler assembler = new FragmentAssembler(total, 0, zeroCopy);
        for (int at = 0; at < total; at += fragment) {
            assertThat(assembler.missing()).isEqualTo(total - at);
            ByteBuf part = Unpooled.copiedBuffer(message, at, Math.min(fragment, total - at));
            assembler.add(part);
            part.release();
        }
        ByteBuf assembled = assembler.assemble();
        assertThat(ByteBufUtil.getBytes(assembled)).isEqualTo(message);
        assembled.release();
    }

    /** The encoding adds a few bytes to a payload of 1 MiB. */
    @Test
    void messageOfAMebibyte_isCopiedOnce() {
        int total = (1 << 20) + 100;
        assertThat(allocatedFor(total, 0)).isLessThan(total + 50_000);
    }

    @Test
    void messageOfASizeThatHasArrivedBefore_isNotCopied() {
        int total = 8 << 20;
        assertThat(allocatedFor(total, total)).isLessThan(total + 50_000);
        assertThat(allocatedFor(total, 0)).isGreaterThan(total + (1 << 20));
    }

    private static long allocatedFor(int total, int proven) {
        int fragment = EndpointContext.FRAGMENT_BYTES;
        ByteBuf part = Unpooled.buffer(fragment).writeZero(fragment);
        FragmentAssembler assembler = new FragmentAssembler(total, proven, false);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int at = 0; at < total; at += fragment) {
            assembler.add(part.setIndex(0, Math.min(fragment, total - at)));
        }
        long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assembler.assemble().release();
        return allocated;
    }

    /** Thirty bytes must not cost the whole message. */
    @ParameterizedTest
    @ValueSource(ints = {30, 100_000})
    void announcedMessage_allocatesLittleBeforeItArrives(int first) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuf fragment = Unpooled.buffer(first).writeZero(first);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        for (int i = 0; i < 20; i++) {
            FragmentAssembler assembler = new FragmentAssembler(64 << 20, 128 << 10, false);
            assembler.add(fragment.resetReaderIndex());
            assembler.release();
        }
        long perMessage =
                (threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / 20;
        assertThat(perMessage).isLessThan(150_000 + 18L * first);
    }
}
