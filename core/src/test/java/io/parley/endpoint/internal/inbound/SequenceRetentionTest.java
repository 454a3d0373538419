package io.parley.endpoint.internal.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.ChannelProtection;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** How long the sequences of a lost peer are kept, in manual time. */
class SequenceRetentionTest {

    private static final int RUN = 7;
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS;

    /** A lock that runs an action once, immediately after it is released. */
    private static final class InterruptedLock extends ReentrantLock {
        private static final long serialVersionUID = 1L;

        private transient Runnable next = () -> {};

        void runAfterUnlock(Runnable action) {
            next = action;
        }

        @Override
        public void unlock() {
            super.unlock();
            Runnable action = next;
            next = () -> {};
            action.run();
        }
    }

    private final ManualScheduler time = new ManualScheduler();
    private final InterruptedLock lock = new InterruptedLock();
    private final InboundSequences sequences = new InboundSequences(10);
    private final InboundSequence sequence = newSequence();
    private int users;

    private final SequenceRetention retention = new SequenceRetention(
            new SequenceRetention.Owner() {
                @Override
                public boolean isClosing() {
                    return false;
                }

                @Override
                public boolean tryRetainForSequences(String remoteHost) {
                    users++;
                    return true;
                }

                @Override
                public void releaseForSequences(String remoteHost) {
                    users--;
                }
            },
            sequences,
            context(),
            lock);

    private InboundSequence newSequence() {
        sequences.startInstance(RUN);
        return Objects.requireNonNull(sequences.tryCreate(RUN, 1, 0, ChannelProtection.NONE));
    }

    /** A context with limits, time and an executor. */
    private EndpointContext context() {
        return new EndpointContext(
                null,
                0,
                LIMITS,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                new ManualEventLoops(time, 1).next(),
                null,
                null,
                time);
    }

    @Test
    void lostPeer_thatDoesNotResume_isGivenUpAfterTheTimeout() {
        retention.start("host");
        assertThat(users).isEqualTo(1);
        time.advance(LIMITS.resumeTimeout().minusMillis(1));
        assertThat(sequences.find(RUN, 1)).isSameAs(sequence);
        time.advance(LIMITS.resumeTimeout());
        assertThat(sequences.find(RUN, 1)).isNull();
        assertThat(users).isZero();
        assertThat(time.pending()).isZero();
    }

    @Test
    void peerThatIsLostAgain_asTheTimerOfTheFirstLossExpires_isKeptForTheWholeTimeout() {
        retention.start("host");
        time.advance(LIMITS.resumeTimeout().minusMillis(1));
        IdleHolder next = new IdleHolder();
        assertThat(sequence.tryHold(next)).isTrue(); // the peer has resumed it
        lock.runAfterUnlock(() -> {
            sequence.giveUp(next);
            retention.start("host");
        });
        time.advance(LIMITS.resumeTimeout().minusMillis(1));
        assertThat(sequences.find(RUN, 1)).as("after the loss").isSameAs(sequence);
        assertThat(users).isEqualTo(1);
        time.advance(LIMITS.resumeTimeout());
        assertThat(sequences.find(RUN, 1)).isNull();
        assertThat(users).isZero();
        assertThat(time.pending()).isZero();
    }
}
