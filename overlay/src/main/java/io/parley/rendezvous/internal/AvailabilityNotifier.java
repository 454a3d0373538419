package io.parley.rendezvous.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who want to know when there is an index. Thread-safe. */
final class AvailabilityNotifier {

    private static final Logger log = LoggerFactory.getLogger(AvailabilityNotifier.class);

    private final BooleanSupplier available;
    private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

    AvailabilityNotifier(BooleanSupplier available) {
        this.available = available;
    }

    boolean isAvailable() {
        return available.getAsBoolean();
    }

    AsyncCloseable whenAvailable(Runnable task) {
        Runnable own = () -> run(task); // so that the same task may be there twice
        tasks.add(own);
        if (isAvailable()) {
            own.run();
        }
        return new Registration(() -> tasks.remove(own));
    }

    /** There is one now, or another. */
    void announce() {
        tasks.forEach(Runnable::run);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.warn("What was to run when there is an index has failed", e);
        }
    }
}
