package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.resolver.ResolverLimits;
import java.util.concurrent.Executor;

/** Builds a {@link GroupResolver}. Not thread-safe. */
public final class ResolverBuilder {

    private final Endpoint endpoint;
    private final GroupId group;
    private final Executor executor;
    private ResolverLimits limits = ResolverLimits.DEFAULTS;
    private ResolverMetrics metrics = new ResolverMetrics();
    private Scheduler scheduler = Scheduler.system();

    /**
     * Creates a builder with the defaults.
     *
     * @param executor runs handlers and listeners concurrently, such as {@code Peer.callbackExecutor()}. With a direct executor they
     *     run on event loops and must not block
     */
    public ResolverBuilder(Endpoint endpoint, GroupId group, Executor executor) {
        this.endpoint = endpoint;
        this.group = group;
        this.executor = executor;
    }

    /** Sets the limits. */
    public ResolverBuilder limits(ResolverLimits value) {
        this.limits = value;
        return this;
    }

    /** Sets the counters, which several resolvers may share. */
    public ResolverBuilder metrics(ResolverMetrics value) {
        this.metrics = value;
        return this;
    }

    /** Sets the source of time. */
    public ResolverBuilder scheduler(Scheduler value) {
        this.scheduler = value;
        return this;
    }

    /**
     * Opens the resolver, which then dispatches queries.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the peer has a resolver
     *     for the group, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public GroupResolver open() {
        return GroupResolver.open(endpoint, group, executor, limits, metrics, scheduler);
    }
}
