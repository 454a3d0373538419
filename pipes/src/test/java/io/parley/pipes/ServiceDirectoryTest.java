package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.ModuleSpecAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.discovery.SearchOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.request.PipeRequests;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services that are offered and found by their specifications, through a rendezvous. */
@Timeout(120)
class ServiceDirectoryTest {

    private static final Duration TIMEOUT = Eventually.DEADLINE;
    private static final AdvertisementId CALCULATORS = AdvertisementId.ofModuleClass("calculator");

    private final PipePeers peers = new PipePeers();
    private Peer alice;
    private Peer bob;

    @BeforeEach
    void start() {
        peers.rendezvous();
        alice = peers.edge("alice");
        bob = peers.edge("bob");
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private static ServiceDirectory services(Peer peer) {
        return Pipes.of(peer).services();
    }

    private static SearchOptions results(int count) {
        return new SearchOptions(TIMEOUT, count, SearchOptions.Scope.LOCAL_AND_REMOTE).withWaiting();
    }

    private static SearchOptions local() {
        return new SearchOptions(TIMEOUT, 100, SearchOptions.Scope.LOCAL);
    }

    private static List<FoundService> await(CompletableFuture<List<FoundService>> search) {
        return Eventually.get(search, "the search");
    }

    /** Offers a service whose responses name the peer. */
    private static InputPipe serve(Peer peer, ModuleSpecAdvertisement spec) {
        return services(peer).serve(spec, request -> Message.of("by", peer.name()));
    }

    private static PipeMessage request(Peer peer, ModuleSpecAdvertisement spec) {
        return Eventually.get(services(peer).requestAsync(spec, Message.EMPTY, TIMEOUT), "the response");
    }

    private static void publish(Peer peer, ModuleSpecAdvertisement spec) {
        Eventually.get(peer.netGroup().discovery().publish(spec).whenIndexed(), "publishing");
    }

    @Test
    void service_isFoundByClassNameAndSpecification_andRequested() throws Exception {
        ModuleSpecAdvertisement square =
                services(alice).spec("calculator", "square").withVersion("1.2").withDescription("Returns n * n.");
        serve(alice, square);
        serve(alice, services(alice).spec("printer", "laser"));

        FoundService expected = new FoundService(square, List.of(alice.id()));
        assertThat(await(services(bob).find(CALCULATORS, results(1)))).containsExactly(expected);
        assertThat(await(services(bob).find("squ*", results(1)))).containsExactly(expected);
        assertThat(await(services(bob).find(square.moduleSpec(), results(1)))).containsExactly(expected);
        assertThat(await(services(bob).find(AdvertisementId.ofModuleClass("nothing"), local())))
                .isEmpty();

        PipeMessage response = services(bob).request(square, Message.EMPTY, TIMEOUT);
        assertThat(response.text("by")).contains("alice");
        assertThat(response.from()).isEqualTo(alice.id());
    }

    @Test
    void requestsBySpecification_shareTheHolders_withThoseByName() throws Exception {
        ModuleSpecAdvertisement square = services(alice).spec("calculator", "square");
        serve(alice, square);
        request(bob, square);
        assertThat(Pipes.of(bob).request("square", Message.EMPTY, TIMEOUT).text("by"))
                .contains("alice");
        request(bob, square.withDescription("another text"));
        assertThat(openServices(bob)).isEqualTo(1);
    }

    private static int openServices(Peer peer) {
        return PipeRequests.of(peer.netGroup())
                .client(PipeSecurity.PLAIN)
                .services()
                .size();
    }

    @Test
    void severalPublishers_ofOneSpecification_areOneService() {
        ModuleSpecAdvertisement square = services(alice).spec("calculator", "square");
        Peer carol = peers.edge("carol");
        serve(alice, square);
        serve(carol, square);
        List<FoundService> found = await(services(bob).find(CALCULATORS, results(2)));
        assertThat(found).hasSize(1);
        assertThat(found.get(0).spec()).isEqualTo(square);
        assertThat(found.get(0).publishers()).containsExactlyInAnyOrder(alice.id(), carol.id());
    }

    @Test
    void pipe_thatDoesNotFollowFromItsName_isRequestedByItsId() {
        PipeId id = PipeId.random(GroupId.NET);
        ModuleSpecAdvertisement spec = spec(PipeAdvertisement.of(id, PipeType.UNICAST, "square"));
        assertThat(serve(alice, spec).id()).isEqualTo(id);
        assertThat(request(bob, spec).from()).isEqualTo(alice.id());
    }

    @Test
    void nameOfAnotherPeer_thatIsNotPrintable_isNotInErrors() {
        String name = "evil\nname";
        ModuleSpecAdvertisement spec =
                spec(PipeAdvertisement.of(PipeId.ofName(GroupId.NET, name), PipeType.UNICAST, name));
        Throwable failure = Eventually.failure(
                services(bob).requestAsync(spec, Message.EMPTY, Duration.ofMillis(1)), "a request to no holder");
        assertThat(ParleyException.unwrap(failure)).hasMessageNotContaining("evil");
    }

    private static ModuleSpecAdvertisement spec(@Nullable PipeAdvertisement pipe) {
        return new ModuleSpecAdvertisement(
                AdvertisementId.ofModuleSpec(CALCULATORS, "square"),
                "square",
                null,
                null,
                null,
                null,
                null,
                pipe,
                null,
                null);
    }

    @Test
    void closedService_isNotFound() {
        ModuleSpecAdvertisement square = services(alice).spec("calculator", "square");
        InputPipe serving = serve(alice, square);
        assertThat(await(services(alice).find(CALCULATORS, local()))).hasSize(1);
        assertThat(await(services(bob).find(CALCULATORS, results(1)))).hasSize(1);
        Eventually.get(serving.closeAsync(), "closing");
        assertThat(await(services(alice).find(CALCULATORS, local()))).isEmpty();
        serve(alice, services(alice).spec("printer", "laser"));
        Peer carol = peers.edge("carol");
        assertThat(await(services(carol).find("laser", results(1)))).hasSize(1);
        SearchOptions all = new SearchOptions(TIMEOUT, 100, SearchOptions.Scope.LOCAL_AND_REMOTE);
        assertThat(await(services(carol).find(CALCULATORS, all)))
                .as("in the index")
                .isEmpty();
        serve(alice, square);
    }

    @Test
    void specificationOfAnotherMember_leadsToTheHolderOfThePipe_authenticated() {
        Peer mallory = peers.edge("mallory");
        ModuleSpecAdvertisement square = services(alice).spec("calculator", "square");
        Pipes.of(alice).serve("square", request -> Message.of("by", "alice"));
        publish(mallory, square);
        FoundService found = await(services(bob).find(CALCULATORS, results(1))).get(0);
        assertThat(found.publishers()).containsExactly(mallory.id());
        PeerId responder = request(bob, found.spec()).from();
        assertThat(responder).isEqualTo(alice.id());
    }

    @Test
    void specificationWithoutUsablePipe_isNotFound_andNotServedOrRequested() {
        PipeId id = PipeId.random(GroupId.NET);
        ModuleSpecAdvertisement without = spec(null);
        ModuleSpecAdvertisement otherGroup =
                spec(PipeAdvertisement.of(PipeId.random(GroupId.ofName("weather")), PipeType.UNICAST, "square"));
        ModuleSpecAdvertisement otherType = spec(PipeAdvertisement.of(id, PipeType.PROPAGATE, "square"));
        for (ModuleSpecAdvertisement unusable : List.of(without, otherGroup, otherType)) {
            alice.netGroup().discovery().publish(unusable);
            assertThat(await(services(alice).find("square", local()))).isEmpty();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> serve(alice, unusable))
                    .withMessageContaining("pipe");
            assertThatIllegalArgumentException().isThrownBy(() -> request(alice, unusable));
        }
    }

    @Test
    void specificationWhosePipeIsOpen_isRefused_andTheServiceGoesOn() {
        ModuleSpecAdvertisement square = services(alice).spec("calculator", "square");
        serve(alice, square);
        assertThatThrownBy(() -> serve(alice, square))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        assertThat(await(services(alice).find(CALCULATORS, local()))).hasSize(1);
        assertThat(request(bob, square).from()).isEqualTo(alice.id());
    }
}
