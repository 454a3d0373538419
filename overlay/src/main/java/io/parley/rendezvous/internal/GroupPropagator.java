package io.parley.rendezvous.internal;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.GroupId;
import io.parley.message.Message;
import io.parley.resolver.internal.PropagatedMessageListener;
import io.parley.resolver.internal.PropagationScope;
import io.parley.resolver.internal.Propagator;
import java.util.concurrent.CompletableFuture;

/** Says something to the peers of one group. */
record GroupPropagator(GroupMessageRouter propagation, GroupId group) implements Propagator {

    @Override
    public PropagationScope scope() {
        return PropagationScope.GROUP;
    }

    @Override
    public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
        return propagation.say(group, service, message);
    }

    @Override
    public AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener) {
        return propagation.listen(group, service, listener);
    }
}
