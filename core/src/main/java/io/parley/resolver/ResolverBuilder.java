package io.parley.resolver;

import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import java.security.SecureRandom;
import java.util.concurrent.Executor;

/** Collects a resolver's settings. Not thread-safe. */
public final class ResolverBuilder {

    private final Endpoint endpoint;
    private final GroupId group;
    private final Executor executor;
    private ResolverLimits limits = ResolverLimits.DEFAULTS;

    ResolverBuilder(Endpoint endpoint, GroupId group, Executor executor) {
        this.endpoint = endpoint;
        this.group = group;
        this.executor = executor;
    }

    /** The bounds on what other peers can make this one hold, and on what is asked. */
    public ResolverBuilder limits(ResolverLimits value) {
        this.limits = value;
        return this;
    }

    /**
     * Opens the resolver, which then answers.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} when the peer has a resolver
     *     for the group, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public Resolver open() {
        return GroupResolver.open(endpoint, group, executor, limits, new SystemScheduler(), new SecureRandom());
    }
}
