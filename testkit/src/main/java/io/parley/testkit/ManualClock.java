package io.parley.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands still until a test moves it. Safe from any thread. */
public final class ManualClock extends Clock {

    private volatile Instant now;

    /** A clock that shows that time. */
    public ManualClock(Instant now) {
        this.now = now;
    }

    /** Moves it on. */
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
        throw new UnsupportedOperationException("nothing here asks for local time");
    }
}
