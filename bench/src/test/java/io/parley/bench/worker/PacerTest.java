package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.contender.PacedContenderClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PacerTest {

    private static final long PER_SECOND = 2_000;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

    private final Client client = new Client();

    @Test
    void messages_carryTheTimeAtWhichTheyWereDue_notThatAtWhichTheyWereSent() throws Exception {
        client.slowMessage = 5;

        new Pacer(client, PER_SECOND).send(40);

        assertThat(client.sequences).hasSize(40).isSorted().startsWith(0L).endsWith(39L);
        for (int i = 1; i < 40; i++) {
            assertThat(client.dueTimes.get(i) - client.dueTimes.get(i - 1)).isEqualTo(PERIOD_NANOS);
        }
        assertThat(client.sentTimes.get(6) - client.dueTimes.get(6))
                .as("latency of the message behind the slow one")
                .isGreaterThanOrEqualTo(Client.SLOW_NANOS - PERIOD_NANOS);
    }

    @Test
    void messages_areNotSentBeforeTheyAreDue_andFlushed() throws Exception {
        new Pacer(client, PER_SECOND).send(20);

        for (int i = 0; i < 20; i++) {
            assertThat(client.sentTimes.get(i)).isGreaterThanOrEqualTo(client.dueTimes.get(i));
        }
        assertThat(client.unflushed).isZero();
    }

    @Test
    void stoppedSender_flushesAndWaits() throws Exception {
        client.refusals = 3;

        new Pacer(client, PER_SECOND).send(10);

        assertThat(client.refusals).isZero();
        assertThat(client.sequences).hasSize(10);
    }

    /** Records what is sent. */
    private static final class Client implements PacedContenderClient {

        private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

        private final List<Long> sequences = new ArrayList<>();
        private final List<Long> dueTimes = new ArrayList<>();
        private final List<Long> sentTimes = new ArrayList<>();
        private int slowMessage = -1;
        private int refusals;
        private int unflushed;

        @Override
        public boolean isWritable() {
            if (refusals > 0) {
                refusals--;
                return false;
            }
            return true;
        }

        @Override
        public void sendTimed(long sequence, long nanos) {
            sequences.add(sequence);
            dueTimes.add(nanos);
            sentTimes.add(System.nanoTime());
            unflushed++;
            long start = System.nanoTime();
            while (sequence == slowMessage && System.nanoTime() - start < SLOW_NANOS) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void flush() {
            unflushed = 0;
        }

        @Override
        public void prepare(int bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void send() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void flood(long messages, long expected) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }
}
