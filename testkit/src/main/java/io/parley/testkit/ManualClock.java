package io.parley.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands still until a test advances it. Thread-safe. */
public final class ManualClock extends Clock {

    private volatile Instant now;

    /** Starts at this time. */
    public ManualClock(Instant now) {
        this.now = now;
    }

    /** Advances the time. */
    public void advance(Duration by) {
        now = now.plus(by);
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("withZone: not supported by ManualClock");
    }
}
