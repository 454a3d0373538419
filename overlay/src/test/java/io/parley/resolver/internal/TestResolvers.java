package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.resolver.ResolverLimits;
import java.util.concurrent.Executor;

/** Resolvers whose time the tests of other packages move. */
public final class TestResolvers {

    private TestResolvers() {}

    /** One that is open. */
    public static GroupResolver open(Endpoint endpoint, GroupId group, Executor executor, Scheduler scheduler) {
        return GroupResolver.open(endpoint, group, executor, ResolverLimits.DEFAULTS, new ResolverMetrics(), scheduler);
    }
}
