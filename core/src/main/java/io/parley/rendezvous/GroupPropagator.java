package io.parley.rendezvous;

import io.parley.endpoint.AsyncCloseable;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.GroupId;
import io.parley.message.Message;
import io.parley.resolver.PropagatedListener;
import io.parley.resolver.Propagator;
import io.parley.resolver.Reach;
import java.util.concurrent.CompletableFuture;

/** Says something to the peers of one group. */
record GroupPropagator(Propagation propagation, GroupId group) implements Propagator {

    @Override
    public Reach reach() {
        return Reach.GROUP;
    }

    @Override
    public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
        return propagation.say(group, service, message);
    }

    @Override
    public AsyncCloseable listen(ServiceAddress service, PropagatedListener listener) {
        return propagation.listen(group, service, listener);
    }
}
