package io.parley.testkit;

import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Fails a test class that does not release a buffer or another reference-counted resource of Netty. JUnit registers this
 * extension for all test classes if {@code parley-testkit} is on the class path and the configuration parameter {@code
 * junit.jupiter.extensions.autodetection.enabled} is true.
 *
 * <p>After each class the garbage collector runs. Each resource that was collected without a release fails the class, with a
 * record of its accesses. A resource that is still reachable at that time, for example from a thread, is reported later:
 * after another class or at the end of the run. The record identifies its owner.
 */
public final class LeakCheck implements AfterAllCallback, LauncherSessionListener {
    private static final Duration COLLECTION_DEADLINE = Duration.ofSeconds(10);
    private static final List<ResourceLeakDetector<Object>> detectors = new CopyOnWriteArrayList<>();
    private static final Queue<String> leaks = new ConcurrentLinkedQueue<>();

    static {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new RecordingFactory());
        Unpooled.buffer(1).release();
        if (detectors.isEmpty()) {
            throw new IllegalStateException("leak check: Netty was initialized before it; load LeakCheck first");
        }
    }

    /** Fails the build for late leaks. An exception from a closeable store of the JUnit engine would not fail it. */
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

    /** Runs the garbage collector and returns the leaks found since the last call. Each place is reported once per JVM. */
    static List<String> findLeaks() throws InterruptedException {
        // References are enqueued in order, some time after the collection that cleared them. When those of the second
        // collection are enqueued, those of the first one are, too.
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
        List<String> found = new ArrayList<>();
        for (String leak = leaks.poll(); leak != null; leak = leaks.poll()) {
            found.add(leak);
        }
        return found;
    }

    private static void collect() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Reference<Object> canary = new PhantomReference<>(new Object(), queue);
        long start = System.nanoTime();
        try {
            do {
                System.gc();
                if (System.nanoTime() - start > COLLECTION_DEADLINE.toNanos()) {
                    throw new IllegalStateException("garbage collection: none within " + COLLECTION_DEADLINE
                            + "; the leak check requires it, so remove -XX:+DisableExplicitGC");
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
            ResourceLeakDetector<T> detector = new RecordingDetector<>(resource, samplingInterval);
            // Detectors only compare the tracked objects and never access them.
            @SuppressWarnings("unchecked")
            ResourceLeakDetector<Object> any = (ResourceLeakDetector<Object>) detector;
            detectors.add(any);
            return detector;
        }
    }

    private static final class RecordingDetector<T> extends ResourceLeakDetector<T> {
        RecordingDetector(Class<?> resource, int samplingInterval) {
            super(resource, samplingInterval);
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
}
