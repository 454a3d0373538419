package io.parley.pipes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchReport;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.InputPipe;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.internal.unicast.PipeConnector;
import io.parley.rendezvous.RendezvousService;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The resolution of a pipe in manual time, with a discovery and messengers that the test controls. */
class PipeResolverTest {

    private static final GroupId GROUP = GroupId.NET;
    private static final PipeId PIPE = PipeId.ofName(GROUP, "forecast");
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final ManualScheduler scheduler = new ManualScheduler();
    private final Identity self = Identity.generate();
    private final Identity holder = Identity.generate();
    private final List<SignedAdvertisement> local = new ArrayList<>();
    private final List<PipeSearch> searches = new ArrayList<>();
    private final CompletableFuture<Void> bound = new CompletableFuture<>();
    private final List<PeerId> aborted = new ArrayList<>();
    private CompletableFuture<Void> located = CompletableFuture.completedFuture(null);
    private int missingThreads;
    private boolean failingMessengers;
    private boolean failingSearch;

    /** A search for the pipe that the test completes. */
    private final class PipeSearch {
        private final long startNanos = scheduler.nanoTime();
        private final SearchOptions options;
        private final Consumer<SignedAdvertisement> listener;
        private final CompletableFuture<Integer> done = new CompletableFuture<>();
        private boolean closed;

        PipeSearch(SearchOptions options, Consumer<SignedAdvertisement> listener) {
            this.options = options;
            this.listener = listener;
        }

        Search search() {
            return stub(
                    Search.class,
                    Map.of("whenDone", arguments -> done, "closeAsync", arguments -> close(), "report", arguments -> {
                        return new SearchReport(false, true, null, Set.of(), null);
                    }));
        }

        private CompletableFuture<Void> close() {
            closed = true;
            return CompletableFuture.completedFuture(null);
        }
    }

    private static <T> T stub(Class<T> type, Map<String, Function<Object[], Object>> methods) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Function<Object[], Object> implementation = methods.get(method.getName());
                    if (implementation == null) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return implementation.apply(arguments == null ? new Object[0] : arguments);
                }));
    }

    @SuppressWarnings("unchecked")
    private Search search(Object[] arguments) {
        if (failingSearch) {
            throw new InternalError("no thread");
        }
        DiscoveryQuery query = (DiscoveryQuery) arguments[0];
        Executor executor = (Executor) arguments[3];
        Consumer<SignedAdvertisement> listener = (Consumer<SignedAdvertisement>) arguments[2];
        PipeSearch started =
                new PipeSearch((SearchOptions) arguments[1], found -> executor.execute(() -> listener.accept(found)));
        if (PipeAdvertisement.TYPE_NAME.equals(query.type())) {
            searches.add(started);
        }
        return started.search();
    }

    private Messenger messenger(PeerId peer) {
        if (failingMessengers) {
            throw new IllegalArgumentException("options on purpose");
        }
        return stub(
                Messenger.class,
                Map.of(
                        "peer", arguments -> peer,
                        "resolve", arguments -> bound,
                        "abort", arguments -> aborted.add(peer) ? null : null,
                        "closeAsync", arguments -> CompletableFuture.completedFuture(null),
                        "equals",
                                arguments -> arguments[0] instanceof Messenger other
                                        && other.peer().equals(peer),
                        "hashCode", arguments -> peer.hashCode()));
    }

    private PeerGroup group() {
        Discovery discovery =
                stub(Discovery.class, Map.of("findLocal", arguments -> List.copyOf(local), "search", this::search));
        Endpoint endpoint = stub(
                Endpoint.class,
                Map.of(
                        "peerId",
                        arguments -> self.peerId(),
                        "messenger",
                        arguments -> messenger((PeerId) arguments[0])));
        RendezvousService rendezvous = stub(
                RendezvousService.class,
                Map.of("status", arguments -> new RendezvousStatus(false, Set.of(), List.of(), null, null)));
        return stub(
                PeerGroup.class,
                Map.of(
                        "name", arguments -> "weather",
                        "discovery", arguments -> discovery,
                        "endpoint", arguments -> endpoint,
                        "rendezvous", arguments -> rendezvous,
                        "scheduler", arguments -> scheduler,
                        "workExecutor", arguments -> (Executor) this::execute,
                        "locate", arguments -> located));
    }

    private void execute(Runnable task) {
        if (missingThreads > 0) {
            missingThreads--;
            throw new InternalError("no thread");
        }
        task.run();
    }

    private SignedAdvertisement published() {
        AdvertisementSigner signer = new AdvertisementSigner(
                holder, AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS), scheduler.clock());
        return signer.sign(PipeAdvertisement.of(PIPE, PipeType.UNICAST, "forecast"), GROUP);
    }

    private CompletableFuture<Messenger> resolve() {
        return new PipeResolver(group(), new PipeResolver.Target(PIPE, "forecast", PipeOptions.DEFAULTS), TIMEOUT)
                .start();
    }

    private List<Duration> starts(long beginNanos) {
        return searches.stream()
                .map(search -> Duration.ofNanos(search.startNanos - beginNanos))
                .toList();
    }

    @Test
    void unknownPipe_isSearchedForAtOnce_andAgainWithGrowingDelays() {
        long begin = scheduler.nanoTime();
        CompletableFuture<Messenger> found = resolve();
        for (int round = 0; round < 6; round++) {
            searches.get(round).done.complete(0);
            scheduler.advance(Duration.ofSeconds(2));
        }
        assertThat(starts(begin).subList(0, 6))
                .containsExactly(
                        Duration.ZERO,
                        Duration.ofMillis(200),
                        Duration.ofMillis(2400),
                        Duration.ofMillis(4800),
                        Duration.ofMillis(7600),
                        Duration.ofMillis(10_000));
        assertThat(found).isNotDone();
    }

    @Test
    void round_endsAtTheDeadline_ofTheResolution() {
        resolve();
        assertThat(searches.get(0).options.timeout()).isEqualTo(PipeResolver.ROUND_TIMEOUT);
        scheduler.advance(TIMEOUT.minusSeconds(1).minus(PipeResolver.FIRST_DELAY));
        searches.get(0).done.complete(0);
        scheduler.advance(PipeResolver.FIRST_DELAY);
        assertThat(searches.get(1).options.timeout()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void noHolder_failsAtTheTimeout_andLeavesNothing() {
        CompletableFuture<Messenger> found = resolve();
        scheduler.advance(TIMEOUT.minusNanos(1));
        assertThat(found).isNotDone();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(Eventually.failure(found, "the resolution"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
                .hasMessageContaining("pipe \"forecast\"")
                .hasMessageContaining("in group weather")
                .hasMessageContaining("within 20 s");
        assertThat(searches).allMatch(search -> search.closed);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void localHolder_isTried_beforeOtherPeersAreQueried() {
        local.add(published());
        resolve();
        scheduler.advance(PipeResolver.HEAD_START.minusNanos(1));
        assertThat(searches).isEmpty();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(searches).hasSize(1);
    }

    @Test
    void localHolderThatFails_isFollowedByASearchAtOnce() {
        local.add(published());
        CompletableFuture<Messenger> found = resolve();
        bound.completeExceptionally(ErrorCode.NO_SUCH_SERVICE.exception("no such pipe here"));
        assertThat(searches).hasSize(1);
        assertThat(aborted).contains(holder.peerId());
        scheduler.advance(TIMEOUT);
        assertThat(Eventually.failure(found, "the resolution")).hasMessageContaining("no such pipe here");
    }

    @Test
    void holdersThatFail_leaveNothingBehind() {
        CompletableFuture<Messenger> found = resolve();
        bound.completeExceptionally(ErrorCode.NO_SUCH_SERVICE.exception("no such pipe here"));
        int before = found.getNumberOfDependents();
        for (int i = 0; i < 10; i++) {
            searches.get(0).listener.accept(published());
        }
        assertThat(aborted).hasSizeGreaterThanOrEqualTo(10);
        assertThat(found.getNumberOfDependents()).isEqualTo(before);
    }

    @Test
    void cancel_abortsTheAttemptInProgress() {
        CompletableFuture<Messenger> found = resolve();
        searches.get(0).listener.accept(published());
        assertThat(aborted).isEmpty();
        found.cancel(false);
        assertThat(aborted).containsExactly(holder.peerId());
    }

    @Test
    void holder_thatIsFound_endsTheSearch() {
        CompletableFuture<Messenger> found = resolve();
        searches.get(0).listener.accept(published());
        assertThat(found).isNotDone();
        bound.complete(null);
        assertThat(Eventually.get(found, "the resolution").peer()).isEqualTo(holder.peerId());
        assertThat(aborted).isEmpty();
        assertThat(searches.get(0).closed).isTrue();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void holder_whoseAddressIsNotFound_isTriedNevertheless() {
        located = CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("no address found"));
        bound.complete(null);
        CompletableFuture<Messenger> found = resolve();
        searches.get(0).listener.accept(published());
        assertThat(Eventually.get(found, "the resolution").peer()).isEqualTo(holder.peerId());
    }

    @Test
    void cancel_endsTheSearch() {
        CompletableFuture<Messenger> found = resolve();
        found.cancel(false);
        assertThat(searches.get(0).closed).isTrue();
        assertThat(scheduler.pending()).isZero();
        scheduler.advance(TIMEOUT);
        assertThat(searches).hasSize(1);
    }

    @Test
    void messengerThatCannotBeMade_endsTheSearch_withTheReason() {
        failingMessengers = true;
        CompletableFuture<Messenger> found = resolve();
        searches.get(0).listener.accept(published());
        assertThat(Eventually.failure(found, "the resolution"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("options on purpose");
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void start_withoutAThread_searchesASecondLater() {
        missingThreads = 3; // also for the timers that would search
        resolve();
        assertThat(searches).isEmpty();
        scheduler.advance(Duration.ofSeconds(2));
        assertThat(missingThreads).isZero();
        assertThat(searches).hasSize(1);
    }

    @Test
    void roundWithoutAThread_isFollowedByAnother() {
        resolve();
        searches.get(0).done.complete(0);
        missingThreads = 2; // for the next round, and the search for members
        scheduler.advance(Duration.ofSeconds(2));
        assertThat(missingThreads).isZero();
        assertThat(searches).hasSize(2);
    }

    @Test
    void searchThatFails_isFollowedByAnother() {
        failingSearch = true;
        CompletableFuture<Messenger> found = resolve();
        failingSearch = false;
        assertThat(found).isNotDone();
        scheduler.advance(PipeResolver.FIRST_DELAY);
        assertThat(searches).hasSize(1);
    }

    @Test
    void timeout_whileThereIsNoThread_failsASecondLater() {
        CompletableFuture<Messenger> found = resolve();
        scheduler.advance(TIMEOUT.minusNanos(1));
        missingThreads = 1;
        scheduler.advance(Duration.ofNanos(1));
        assertThat(missingThreads).isZero();
        assertThat(found).isNotDone();
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(Eventually.failure(found, "the resolution")).hasMessageContaining("no holder found within 20 s");
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void timeoutOfAGivenHolder_whileThereIsNoThread_failsNevertheless() {
        CompletableFuture<OutputPipe> connected =
                new PipeConnector(group(), PipeOptions.DEFAULTS).connect(holder.peerId(), PIPE, TIMEOUT);
        missingThreads = 1;
        scheduler.advance(TIMEOUT);
        assertThat(missingThreads).isZero();
        assertThat(Eventually.failure(connected, "the connect")).hasMessageContaining("did not respond within 20 s");
    }

    @Test
    void timeoutOfABidirectionalPipe_whileThereIsNoThread_failsNevertheless() {
        try (PipePeers peers = new PipePeers()) {
            Peer acceptor = peers.near("acceptor");
            Peer connecting = peers.near("connecting");
            connecting.netGroup().endpoint().addPeerAddress(acceptor.address());
            try (InputPipe in = Pipes.of(acceptor).open(PIPE)) { // which does not answer requests
                PeerGroup group = withExecutor(ManualTimeGroup.of(connecting.netGroup(), scheduler));
                CompletableFuture<BidirectionalPipe> connected =
                        BidirectionalPipes.of(group).connectAsync(acceptor.id(), in.id(), TIMEOUT);
                missingThreads = 1;
                scheduler.advance(TIMEOUT);
                assertThat(missingThreads).isZero();
                assertThat(Eventually.failure(connected, "the connect")).hasMessageContaining("not accepted within");
            }
        }
    }

    private PeerGroup withExecutor(PeerGroup real) {
        return (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("workExecutor")) {
                        return (Executor) this::execute;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
