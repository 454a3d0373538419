package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.resolver.ResolverLimits;
import java.util.concurrent.Executor;

/** Collects a resolver's settings. Not thread-safe. */
public final class ResolverBuilder {

    private final Endpoint endpoint;
    private final GroupId group;
    private final Executor executor;
    private ResolverLimits limits = ResolverLimits.DEFAULTS;
    private ResolverMetrics metrics = new ResolverMetrics();
    private Scheduler scheduler = Scheduler.system();

    /**
     * Starts the configuration of a resolver.
     *
     * @param executor runs the handlers and listeners, several at a time; such as {@code Peer.callbackExecutor()}. With a
     *     direct one they run on the threads that serve connections, and must not block
     */
    public ResolverBuilder(Endpoint endpoint, GroupId group, Executor executor) {
        this.endpoint = endpoint;
        this.group = group;
        this.executor = executor;
    }

    /** The bounds on what other peers can make this one hold, and on what is asked. */
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
     * Opens the resolver, which then answers.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} when the peer has a resolver
     *     for the group, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public GroupResolver open() {
        return GroupResolver.open(endpoint, group, executor, limits, metrics, scheduler);
    }
}
