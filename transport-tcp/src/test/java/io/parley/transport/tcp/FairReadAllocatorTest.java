package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FairReadAllocatorTest {

    private static final int MAX_READ_BYTES = 256 * 1024;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final FairReadAllocator allocator = new FairReadAllocator(MAX_READ_BYTES);

    /** Reads in one turn from a channel that always has more bytes. Returns their number. */
    private int readTurn(ExtendedHandle handle) {
        int total = 0;
        handle.reset(channel.config());
        do {
            ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
            int size = buffer.writableBytes();
            buffer.release();
            handle.attemptedBytesRead(size);
            handle.lastBytesRead(size);
            handle.incMessagesRead(1);
            total += size;
        } while (handle.continueReading(() -> true) && handle.continueReading());
        handle.readComplete();
        return total;
    }

    private List<ExtendedHandle> handles(int count) {
        return Stream.generate(allocator::newHandle).limit(count).toList();
    }

    @Test
    void channelAlone_readsTheWholeTurn() {
        ExtendedHandle alone = handles(1).get(0);
        readTurn(alone);
        readTurn(alone);
        assertThat(readTurn(alone)).isEqualTo(FairReadAllocator.TURN_BYTES);
    }

    /** Netty reads so after the remote peer has closed, and a read of no bytes is the end of the stream for it. */
    @Test
    void readBeyondTheShare_hasRoom() {
        ExtendedHandle alone = handles(1).get(0);
        for (int i = 0; i < 3; i++) {
            readTurn(alone); // the last one the whole turn, whatever turns this thread had before
        }
        ByteBuf buffer = alone.allocate(UnpooledByteBufAllocator.DEFAULT);
        assertThat(buffer.writableBytes()).isEqualTo(FairReadAllocator.MIN_SHARE_BYTES);
        buffer.release();
    }

    @Test
    void channelsTogether_shareTheTurn() {
        List<ExtendedHandle> handles = handles(16);
        handles.forEach(this::readTurn);
        handles.forEach(this::readTurn);
        assertThat(handles)
                .allSatisfy(handle -> assertThat(readTurn(handle)).isEqualTo(FairReadAllocator.TURN_BYTES / 16));
    }

    @Test
    void thousandChannels_readTheLeastShareEach() {
        List<ExtendedHandle> handles = handles(1000);
        handles.forEach(this::readTurn);
        assertThat(handles)
                .allSatisfy(handle -> assertThat(readTurn(handle)).isEqualTo(FairReadAllocator.MIN_SHARE_BYTES));
    }

    @Test
    void channelWithFewBytes_stopsReading() {
        ExtendedHandle handle = handles(1).get(0);
        handle.reset(channel.config());
        handle.attemptedBytesRead(handle.guess());
        handle.lastBytesRead(0);
        assertThat(handle.continueReading()).isFalse();
        assertThat(handle.continueReading(() -> true)).isFalse();
    }

    @Test
    void channelThatHasBeenQuiet_beginsWithTheLeastShare_andCatchesUp() {
        List<ExtendedHandle> handles = handles(2);
        ExtendedHandle busy = handles.get(0);
        ExtendedHandle quiet = handles.get(1);
        readTurn(quiet);
        for (int i = 0; i < 1000; i++) {
            readTurn(busy);
        }
        assertThat(readTurn(quiet)).isEqualTo(FairReadAllocator.MIN_SHARE_BYTES);
        readTurn(busy);
        assertThat(readTurn(quiet)).isEqualTo(FairReadAllocator.TURN_BYTES / 2);
    }
}
