package io.parley.testkit;

import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import io.parley.common.Scheduler;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Fails tests that leave a buffer, or another reference-counted object of Netty, to the garbage collector. It checks every test
 * class of every module that has the test kit on its class path; JUnit finds it automatically.
 *
 * <p>The collector runs after each test class that leaves an unreleased object. If it finds one, that class fails, with the place that
 * created the object. With {@code -Dio.netty.leakDetection.level=paranoid}, which slows down tests several times, the places that
 * accessed it are shown as well, and the place of its release after a release too many. An object that is still referenced at that time, by a thread or an instance with the lifetime of its class, is
 * found later: after another class, or at the end of the run. Its place identifies its origin.
 */
public final class LeakCheck implements AfterAllCallback, LauncherSessionListener {
    private static final Duration COLLECTION_DEADLINE = Eventually.DEADLINE;
    private static final List<ResourceLeakDetector<Object>> detectors = new CopyOnWriteArrayList<>();
    private static final Queue<String> leaks = new ConcurrentLinkedQueue<>();

    /** The number of objects of which one is tracked while sampling. */
    private static final int SAMPLING_INTERVAL = 128;

    private static final AtomicInteger samplingScopes = new AtomicInteger();

    /** The number of tracked objects that are not released, including those that the collector has found. */
    private static final AtomicLong unreleased = new AtomicLong();

    static {
        if (System.getProperty("io.netty.leakDetection.level") == null) {
            System.setProperty("io.netty.leakDetection.trackClose", "false"); // a stack trace of each release
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE); // without records of each access
        }
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new RecordingFactory());
        Unpooled.buffer(1).release();
        if (detectors.isEmpty()) {
            throw new IllegalStateException("leak check: Netty was initialized before it; load LeakCheck first");
        }
    }

    static void startSampling() {
        samplingScopes.incrementAndGet();
    }

    static void stopSampling() {
        samplingScopes.decrementAndGet();
    }

    /** Throws, because an exception from here stops the build; a failure of a store that closes with the engine would not. */
    @Override
    public void launcherSessionClosed(LauncherSession session) {
        try {
            failOnLeaks("at the end of the run");
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted during the search for leaks", e);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        if (context.getRequiredTestClass().getEnclosingClass() == null) {
            failOnLeaks("after " + context.getRequiredTestClass().getName());
        }
    }

    private static void failOnLeaks(String when) throws InterruptedException {
        List<String> found = findLeaks();
        if (!found.isEmpty()) {
            throw new AssertionError(found.size() + " leak(s) found " + when + ":\n" + String.join("\n", found));
        }
    }

    /** Returns the leaks since the last call. Each leaking place is reported once per JVM. */
    static List<String> findLeaks() throws InterruptedException {
        // A full collection takes a tenth of a second. It finds nothing if all objects were released.
        if (unreleased.get() > 0) {
            collectAndReport();
        }
        List<String> found = new ArrayList<>();
        for (String leak = leaks.poll(); leak != null; leak = leaks.poll()) {
            found.add(leak);
        }
        return found;
    }

    private static void collectAndReport() throws InterruptedException {
        // References are queued shortly after the collection that cleared them, in order. After those of the second
        // collection are queued, those of the first one are, too.
        collect();
        collect();
        for (ResourceLeakDetector<Object> detector : detectors) {
            // A detector polls its queue only when it tracks a new object.
            Object probe = new Object();
            ResourceLeakTracker<Object> tracker = detector.track(probe);
            if (tracker != null) {
                tracker.close(probe);
            }
        }
    }

    private static void collect() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Reference<Object> canary = new PhantomReference<>(new Object(), queue);
        long start = Scheduler.system().nanoTime();
        try {
            do {
                System.gc();
                if (Scheduler.system().nanoTime() - start > COLLECTION_DEADLINE.toNanos()) {
                    throw new IllegalStateException("no garbage collection within " + COLLECTION_DEADLINE
                            + ": the leak check needs one (-XX:+DisableExplicitGC?)");
                }
            } while (queue.remove(100) == null);
        } finally {
            Reference.reachabilityFence(canary);
        }
    }

    private static final class RecordingFactory extends ResourceLeakDetectorFactory {
        @Override
        @Deprecated
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return newResourceLeakDetector(resource, samplingInterval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
            ResourceLeakDetector<T> detector = new RecordingDetector<>(resource);
            // Detectors only compare the tracked objects.
            @SuppressWarnings("unchecked")
            ResourceLeakDetector<Object> any = (ResourceLeakDetector<Object>) detector;
            detectors.add(any);
            return detector;
        }
    }

    private static final class RecordingDetector<T> extends ResourceLeakDetector<T> {
        RecordingDetector(Class<?> resource) {
            super(resource, 1); // each object
        }

        @Override
        public @Nullable ResourceLeakTracker<T> track(T object) {
            boolean skipped =
                    samplingScopes.get() > 0 && ThreadLocalRandom.current().nextInt(SAMPLING_INTERVAL) != 0;
            ResourceLeakTracker<T> tracker = skipped ? null : super.track(object);
            return tracker == null ? null : new CountedTracker<>(tracker);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            leaks.add("LEAK: " + resourceType + " was not released before it was garbage-collected." + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            leaks.add("LEAK: " + resourceType + " was not released before it was garbage-collected.");
        }
    }

    /** Counts its object until the object is released. */
    private static final class CountedTracker<T> implements ResourceLeakTracker<T> {

        private final ResourceLeakTracker<T> tracker;

        CountedTracker(ResourceLeakTracker<T> tracker) {
            this.tracker = tracker;
            unreleased.incrementAndGet();
        }

        @Override
        public void record() {
            tracker.record();
        }

        @Override
        public void record(Object hint) {
            tracker.record(hint);
        }

        @Override
        public boolean close(T trackedObject) {
            boolean closed = tracker.close(trackedObject);
            if (closed) {
                unreleased.decrementAndGet();
            }
            return closed;
        }

        @Override
        public @Nullable Throwable getCloseStackTraceIfAny() {
            return tracker.getCloseStackTraceIfAny();
        }
    }
}
