package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.resolver.ResolverLimits;
import java.util.concurrent.Executor;

/** Opens resolvers with a given scheduler for the tests of other packages. */
public final class TestResolvers {

    private TestResolvers() {}

    /** Opens a resolver with the default limits. */
    public static GroupResolver open(Endpoint endpoint, GroupId group, Executor executor, Scheduler scheduler) {
        return GroupResolver.open(endpoint, group, executor, ResolverLimits.DEFAULTS, new ResolverMetrics(), scheduler);
    }
}
