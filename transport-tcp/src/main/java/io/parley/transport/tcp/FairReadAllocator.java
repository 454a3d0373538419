package io.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * Sizes of reads that follow the traffic of a channel, and a bound to what a channel reads before the next channel of its event loop
 * gets its turn. All channels that have bytes share {@link #TURN_BYTES}, so a short message waits for few megabytes of the others at
 * most, however many connections send at once. A channel that has been quiet begins with {@link #MIN_SHARE_BYTES}.
 */
final class FairReadAllocator implements RecvByteBufAllocator {

    /** The bytes that all channels of an event loop read in one turn, unless there are so many that each has the least share. */
    static final int TURN_BYTES = 2 << 20;

    /** The least share, half a record of TLS: the turn of 1,000 channels is 8 MiB, and a read still costs less than its bytes. */
    static final int MIN_SHARE_BYTES = 8 * 1024;

    private static final int MIN_READ_BYTES = 512;
    private static final int MAX_READS = 8;
    private static final int FIRST_READ_BYTES = 16 * 1024;
    /** Counts the turns of the channels of an event loop. */
    private static final FastThreadLocal<TurnCounter> TURNS = new FastThreadLocal<>() {
        @Override
        protected TurnCounter initialValue() {
            return new TurnCounter();
        }
    };

    private final RecvByteBufAllocator sizes;

    /** @param maxReadBytes the most bytes of one read; a channel has at most eight reads in one turn */
    FairReadAllocator(int maxReadBytes) {
        sizes = new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, FIRST_READ_BYTES, maxReadBytes)
                .maxMessagesPerRead(MAX_READS);
    }

    @Override
    public ExtendedHandle newHandle() {
        return new FairHandle((ExtendedHandle) sizes.newHandle());
    }

    private static final class TurnCounter {

        private long turns;
    }

    /** The reads of one channel. Used on its event loop. */
    private static final class FairHandle extends RecvByteBufAllocator.DelegatingHandle implements ExtendedHandle {

        private long lastTurn;
        private long remaining;

        FairHandle(ExtendedHandle sizes) {
            super(sizes);
        }

        @Override
        public void reset(ChannelConfig config) {
            super.reset(config);
            long turn = ++TURNS.get().turns;
            // The turns of others since the last one of this channel: as many channels have bytes, or this one had
            // none.
            remaining = Math.max(MIN_SHARE_BYTES, TURN_BYTES / (turn - lastTurn));
            lastTurn = turn;
        }

        /** Never zero: Netty reads on after the remote peer has closed, and takes a read of no bytes for the end of the stream. */
        @Override
        public int guess() {
            return (int) Math.min(super.guess(), remaining > 0 ? remaining : MIN_SHARE_BYTES);
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return allocator.ioBuffer(guess());
        }

        @Override
        public void lastBytesRead(int bytes) {
            super.lastBytesRead(bytes);
            remaining -= Math.max(0, bytes);
        }

        @Override
        public boolean continueReading() {
            return remaining > 0 && super.continueReading();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return remaining > 0 && ((ExtendedHandle) delegate()).continueReading(maybeMoreData);
        }
    }
}
