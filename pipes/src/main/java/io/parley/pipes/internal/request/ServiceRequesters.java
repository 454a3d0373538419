package io.parley.pipes.internal.request;

import io.parley.common.Scheduler;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.FlowLimits;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.PipeFlow;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The requesters of one client by service: a bounded number, of which those without requests are closed after a while. They use the holders
 * whose pipes are as secure as the requests of the client. Thread-safe.
 */
public final class ServiceRequesters {

    /** The maximum number of requesters. The one that was not used for the longest time gives way to a new one. */
    static final int MAX_SERVICES = 64;

    /** The interval at which requesters that are used search for further holders, and others are closed. */
    static final Duration MAINTENANCE_INTERVAL = Duration.ofSeconds(15);

    /** The time after which a requester without requests is closed. */
    static final Duration IDLE_TIMEOUT = Duration.ofMinutes(5);

    /**
     * A service as a caller requests it.
     *
     * @param name the name of the service, or the text of its pipe id
     * @param id   its pipe; {@code null}: the pipe of that name
     * @param flow the limits of the queue for each holder, and the rate to all of them
     */
    public record Key(String name, @Nullable PipeId id, List<String> codecs, boolean resending, FlowLimits flow) {}

    /** The time since the last request of a requester, which requests change at any time. */
    private record Idleness(Key key, ServiceRequester requester, long nanos) {}

    private static final int MAX_ATTEMPTS = 8;

    private final PeerGroup group;
    private final RequestClient client;
    private final ConcurrentMap<Key, ServiceRequester> byKey = new ConcurrentHashMap<>();
    private Scheduler.@Nullable Timer maintenance;
    private boolean closing;

    ServiceRequesters(PeerGroup group, RequestClient client) {
        this.group = group;
        this.client = client;
    }

    public CompletableFuture<PipeMessage> request(Key key, Message message, Duration timeout) {
        CompletableFuture<PipeMessage> result = null;
        for (int attempt = 0; result == null && attempt < MAX_ATTEMPTS; attempt++) {
            ServiceRequester known = byKey.get(key);
            ServiceRequester requester = known != null ? known : open(key);
            result = requester.request(message, timeout); // null if it was closed meanwhile because it was idle
        }
        if (result == null) {
            throw ErrorCode.BUSY.exception("service " + key.name() + ": too many services are in use at the same time");
        }
        return result;
    }

    private synchronized ServiceRequester open(Key key) {
        if (closing) {
            throw ErrorCode.CLOSED.exception("group " + group.name() + ": closed");
        }
        ServiceRequester known = byKey.get(key);
        if (known != null) {
            return known;
        }
        if (byKey.size() >= MAX_SERVICES && !evict()) {
            throw ErrorCode.LOCAL_LIMIT.exception(
                    "services with pending requests: " + (byKey.size() + 1) + " (expected: <= " + MAX_SERVICES + ")");
        }
        PipeId id = key.id();
        PipeResolver.Target target = new PipeResolver.Target(
                id == null ? PipeId.ofName(group.id(), key.name()) : id,
                id == null ? key.name() : null,
                PipeOptions.DEFAULTS
                        .withCodecs(key.codecs())
                        .withSecurity(client.security())
                        .withFlow(PipeFlow.of(key.flow()).sharingRate(group.scheduler())));
        ServiceRequester created = new ServiceRequester(group, client, target, key.resending());
        byKey.put(key, created);
        scheduleMaintenance();
        return created;
    }

    /** Closes the requester that was not used for the longest time. Returns false if all have requests. */
    private boolean evict() {
        long now = group.scheduler().nanoTime();
        return byKey.entrySet().stream()
                .map(entry -> new Idleness(
                        entry.getKey(), entry.getValue(), entry.getValue().idleNanos(now)))
                .sorted(Comparator.comparingLong(Idleness::nanos).reversed())
                .anyMatch(idle -> tryClose(idle.key(), idle.requester()));
    }

    private boolean tryClose(Key key, ServiceRequester requester) {
        if (!requester.tryCloseIdle()) {
            return false;
        }
        byKey.remove(key, requester);
        return true;
    }

    private void scheduleMaintenance() {
        if (maintenance == null && !closing) {
            maintenance =
                    Timers.schedule(group.scheduler(), MAINTENANCE_INTERVAL, group.workExecutor(), this::maintain);
        }
    }

    private synchronized void maintain() {
        maintenance = null;
        long now = group.scheduler().nanoTime();
        byKey.forEach((key, requester) -> {
            long idle = requester.idleNanos(now);
            if (idle < MAINTENANCE_INTERVAL.toNanos()) {
                requester.searchFurther();
            } else if (idle >= IDLE_TIMEOUT.toNanos()) {
                tryClose(key, requester);
            }
        });
        if (!byKey.isEmpty()) {
            scheduleMaintenance();
        }
    }

    void onConnected(PeerId peer) {
        byKey.values().forEach(requester -> requester.onConnected(peer));
    }

    void onDisconnected(PeerId peer) {
        byKey.values().forEach(requester -> requester.onDisconnected(peer));
    }

    /** Returns the number of requesters. */
    public int size() {
        return byKey.size();
    }

    /** The requests must have failed before. */
    synchronized CompletableFuture<Void> closeAsync() {
        closing = true;
        if (maintenance != null) {
            maintenance.cancel();
        }
        CompletableFuture<?>[] closed =
                byKey.values().stream().map(ServiceRequester::closeAsync).toArray(CompletableFuture<?>[]::new);
        byKey.clear();
        return CompletableFuture.allOf(closed);
    }
}
