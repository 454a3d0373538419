package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.Signal;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class EventRoundTripsTest {

    private final ReplyDispatcher replies = new ReplyDispatcher();

    @Test
    void count_firstRoundTripOutlastsTheTurn_isOne() throws Exception {
        EventRoundTrips roundTrips = roundTrips(0, Long.MAX_VALUE);

        assertThat(roundTrips.await().getTotalCount()).isEqualTo(1);
        assertThat(roundTrips.count()).isEqualTo(1);
    }

    @Test
    void count_severalRoundTrips_hasTheFirst_whichIsNotRecorded() throws Exception {
        EventRoundTrips roundTrips = roundTrips(TimeUnit.HOURS.toNanos(1), 3);

        assertThat(roundTrips.await().getTotalCount()).isEqualTo(3);
        assertThat(roundTrips.count()).isEqualTo(4);
    }

    private EventRoundTrips roundTrips(long nanos, long maxRoundTrips) throws Exception {
        EventRoundTrips roundTrips =
                new EventRoundTrips(new EchoClient(), replies, HistogramCodec.create(), nanos, maxRoundTrips);
        roundTrips.start();
        return roundTrips;
    }

    /** Gets each message back before {@code send} returns. */
    private final class EchoClient implements ContenderClient {

        private final MessageBytes message = MessageBytes.of(new Header(Signal.ECHO, 0).message(64), 0);

        @Override
        public void prepare(int bytes) {}

        @Override
        public void send() {
            replies.arrived(message);
        }

        @Override
        public void flood(long messages, long expected) {}

        @Override
        public void close() {}
    }
}
