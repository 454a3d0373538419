package io.parley.rendezvous.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.RdvAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.endpoint.internal.PeerEndpoint;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.resolver.internal.Resolver;
import io.parley.resolver.internal.ResolverBuilder;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A peer without a service of its own, which says to a rendezvous whatever a test likes. */
final class UnleasedPeer implements AutoCloseable {

    final PeerEndpoint endpoint;
    final Publisher publisher;
    private final Resolver resolver;
    private final Node victim;

    UnleasedPeer(RendezvousFixture fixture, Node victim) {
        this.publisher = new Publisher(Identity.generate(), fixture.clock);
        this.endpoint = fixture.endpoint(publisher.identity);
        this.victim = victim;
        endpoint.addPeerAddress(victim.endpoint().peerAddress());
        this.resolver = new ResolverBuilder(endpoint, RendezvousContext.GROUP, fixture.executor).open();
    }

    CompletableFuture<Message> ask(String name, Message question) {
        return resolver.query(victim.id(), name, question, RendezvousFixture.PATIENCE);
    }

    UnleasedPeer leased(GroupId... groups) {
        LeaseRequest request = new LeaseRequest(Duration.ofMinutes(2), Set.of(groups), 0);
        Eventually.get(ask(RendezvousContext.LEASE, request.write()), "a lease");
        return this;
    }

    CompletableFuture<Message> tellView(byte[]... statements) {
        return ask(RendezvousContext.VIEW, new PeerViewMessage(0, List.of(statements), Map.of()).write());
    }

    CompletableFuture<PublishResponse> send(String name, List<byte[]> documents) {
        return ask(name, PublishResponse.request(documents)).thenApply(PublishResponse::read);
    }

    /** That somebody is a rendezvous. */
    static SignedAdvertisement statement(Publisher signer, PeerId about, String... addresses) {
        return signer.signer.sign(
                new RdvAdvertisement(
                        AdvertisementId.of(RendezvousContext.GROUP),
                        AdvertisementId.of(about),
                        "rendezvous",
                        null,
                        RouteAdvertisement.of(about, List.of(addresses))),
                RendezvousContext.GROUP);
    }

    @Override
    public void close() {
        Eventually.get(endpoint.closeAsync(), "the end of a stranger");
    }
}
