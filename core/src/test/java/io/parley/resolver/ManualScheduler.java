package io.parley.resolver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Time that stands still until a test moves it; the tasks run in the test's thread. */
public final class ManualScheduler implements Scheduler {

    private record Alarm(long due, Runnable task) {}

    private final List<Alarm> alarms = new ArrayList<>();
    private long now = Long.MAX_VALUE - 1000; // so that it overflows, as it may

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Runnable after(Duration delay, Runnable task) {
        Alarm alarm = new Alarm(now + delay.toNanos(), task);
        alarms.add(alarm);
        return () -> forget(alarm);
    }

    private synchronized void forget(Alarm alarm) {
        alarms.remove(alarm);
    }

    /** Moves on, and runs what is due by then. */
    public void advance(Duration by) {
        List<Alarm> due;
        synchronized (this) {
            now += by.toNanos();
            due = alarms.stream().filter(alarm -> alarm.due() - now <= 0).toList();
            alarms.removeAll(due);
        }
        due.forEach(alarm -> alarm.task().run());
    }

    /** How many tasks wait. */
    public synchronized int waiting() {
        return alarms.size();
    }

    /** How many of them come within that time. */
    public synchronized long waitingWithin(Duration time) {
        return alarms.stream()
                .filter(alarm -> alarm.due() - now <= time.toNanos())
                .count();
    }
}
