package io.parley.bench.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.parley.bench.sockets.JavaStreamStack;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exchanges over plain sockets, whose server damages what it receives or sends. */
final class StreamExchangeTest {

    private static final StreamSite SITE = new StreamSite(StreamSite.LOOPBACK, Path.of(""));

    private final ExecutorService server = Executors.newCachedThreadPool();
    private final AtomicLong clientTime = new AtomicLong();
    private final AtomicLong serverTime = new AtomicLong();
    private final ProcessorMeter clientMeter = new ProcessorMeter(clientTime::get);
    private final ProcessorMeter serverMeter = new ProcessorMeter(serverTime::get);

    @AfterEach
    void stop() {
        server.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource
    void run_allBytesArrive_hasTheTimes(StreamExchange.Form form) throws Exception {
        for (int bytes : List.of(1, 3, 1000, 1 << 20)) {
            StreamTiming timing = run(new StreamExchange(form, bytes, 5), UnaryOperator.identity());

            assertThat(timing.count()).isEqualTo(5);
            assertThat(timing.nanos()).isPositive();
            assertThat(timing.times().getTotalCount()).isEqualTo(form == StreamExchange.Form.ONE_WAY ? 0 : 5);
        }
    }

    @Test
    void run_processorTime_isThatOfTheBlocks_withoutThatAroundThem() throws Exception {
        int bytes = 1000;

        run(new StreamExchange(StreamExchange.Form.PING_PONG, bytes, 5), end -> new CostlyEnd(end, serverTime, bytes));

        assertThat(clientMeter.nanos()).isEqualTo(5 * 2);
        assertThat(serverMeter.nanos()).isEqualTo(5 * 2);
    }

    @ParameterizedTest
    @EnumSource
    void run_oneByteIsDamaged_fails(StreamExchange.Form form) {
        assertThatIllegalStateException()
                .isThrownBy(() -> run(new StreamExchange(form, 1000, 5), end -> new DamagingEnd(end, 3, 999)))
                .withMessageContaining("checksum of 5 blocks of 1000 bytes");
    }

    @ParameterizedTest
    @EnumSource
    void run_aBlockIsRepeatedInsteadOfTheNext_fails(StreamExchange.Form form) {
        for (int bytes : List.of(1, 1000)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> run(new StreamExchange(form, bytes, 5), end -> new RepeatingEnd(end, 3)))
                    .withMessageContaining("checksum of 5 blocks");
        }
    }

    @Test
    void decode_otherBytes_saysThatTheStreamIsOutOfStep() {
        assertThatIllegalStateException()
                .isThrownBy(() -> StreamExchange.decode(
                        ByteBuffer.allocate(StreamExchange.BYTES).putInt(77).array()))
                .withMessage("form of an exchange: 77 (expected: 1 to 3); the stream is out of step");
    }

    private StreamTiming run(StreamExchange exchange, UnaryOperator<StreamEnd> damage) throws Exception {
        StreamContender sockets = StreamRegistry.named(JavaStreamStack.BLOCKING);
        try (StreamContender.Server listener = sockets.serve(SITE);
                StreamContender.Client client = sockets.connect(listener.address(), SITE)) {
            Future<?> served = server.submit(() -> {
                try (StreamEnd end = damage.apply(listener.accept())) {
                    new StreamResponder(end, serverMeter).run();
                }
                return null;
            });
            StreamTiming timing;
            try (StreamEnd end = client.open()) {
                timing = new StreamInitiator(new CostlyEnd(end, clientTime, exchange.bytes()), clientMeter)
                        .run(exchange);
            }
            served.get();
            return timing;
        }
    }

    /** Changes a bit of one block that it reads. */
    private static final class DamagingEnd extends ForwardingEnd {

        private final int block;
        private final int index;
        private int count;

        private DamagingEnd(StreamEnd end, int block, int index) {
            super(end);
            this.block = block;
            this.index = index;
        }

        @Override
        public void read(byte[] bytes, int length) throws Exception {
            super.read(bytes, length);
            if (count++ == block) {
                bytes[index] ^= 1;
            }
        }
    }

    /** Delivers an earlier block in place of one that it reads. */
    private static final class RepeatingEnd extends ForwardingEnd {

        private final int block;
        private byte[] before = new byte[0];
        private int count;

        private RepeatingEnd(StreamEnd end, int block) {
            super(end);
            this.block = block;
        }

        @Override
        public void read(byte[] bytes, int length) throws Exception {
            super.read(bytes, length);
            if (count++ == block) {
                System.arraycopy(before, 0, bytes, 0, length);
            }
            before = bytes.clone();
        }
    }

    /** Uses a nanosecond of processor time for each block, and a thousand for anything else. */
    private static final class CostlyEnd extends ForwardingEnd {

        private final AtomicLong processorTime;
        private final int bytes;

        private CostlyEnd(StreamEnd end, AtomicLong processorTime, int bytes) {
            super(end);
            this.processorTime = processorTime;
            this.bytes = bytes;
        }

        @Override
        public void write(byte[] block, int length) throws Exception {
            use(length);
            super.write(block, length);
        }

        @Override
        public void read(byte[] block, int length) throws Exception {
            super.read(block, length);
            use(length);
        }

        private void use(int length) {
            processorTime.addAndGet(length == bytes ? 1 : 1000);
        }
    }

    private abstract static class ForwardingEnd implements StreamEnd {

        private final StreamEnd end;

        private ForwardingEnd(StreamEnd end) {
            this.end = end;
        }

        @Override
        public void write(byte[] block, int length) throws Exception {
            end.write(block, length);
        }

        @Override
        public void flush() throws Exception {
            end.flush();
        }

        @Override
        public void read(byte[] block, int length) throws Exception {
            end.read(block, length);
        }

        @Override
        public void close() throws IOException {
            end.close();
        }
    }
}
