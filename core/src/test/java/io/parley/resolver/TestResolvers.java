package io.parley.resolver;

import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import java.security.SecureRandom;
import java.util.concurrent.Executor;

/** Resolvers whose time the tests of other packages move. */
public final class TestResolvers {

    private TestResolvers() {}

    /** One that is open. */
    public static Resolver open(Endpoint endpoint, GroupId group, Executor executor, Scheduler alarms) {
        return GroupResolver.open(endpoint, group, executor, ResolverLimits.DEFAULTS, alarms, new SecureRandom());
    }
}
