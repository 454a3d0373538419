package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.contender.FanOutContender;
import io.parley.bench.contender.MessageBytes;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.function.Consumer;

/** A topic of Parley. Each receiver is a peer, which finds the publisher at the rendezvous that the publisher is. */
abstract class AbstractParleyFanOutContender implements FanOutContender {

    private final String name;
    private final String description;
    private final String contender;
    private final String comparator;

    AbstractParleyFanOutContender(String name, String description, String contender, String comparator) {
        this.name = name;
        this.description = description;
        this.contender = contender;
        this.comparator = comparator;
    }

    abstract ParleyOptions options();

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String description() {
        return description;
    }

    @Override
    public final String contender() {
        return contender;
    }

    @Override
    public final List<String> comparators() {
        return List.of(comparator);
    }

    @Override
    public final String details() {
        return options().idle().label();
    }

    @Override
    public final boolean hasDroppingReceivers() {
        return true;
    }

    @Override
    public final Publisher publish() {
        return ParleyFanOutPublisher.open(options());
    }

    @Override
    public final AutoCloseable receive(String address, boolean isDropping, Consumer<MessageBytes> receiver) {
        Peer peer = options()
                .layer()
                .connecting(options().peer(), PeerAddress.parse(address))
                .start();
        SubscriptionOptions subscription = isDropping ? SubscriptionOptions.DEFAULTS : SubscriptionOptions.blocking();
        Pipes.of(peer)
                .topic(ParleyFanOutPublisher.TOPIC)
                .subscribe(
                        subscription, received -> receiver.accept(PayloadBytes.of(received.message())), Runnable::run);
        return peer;
    }
}
