package io.parley.rendezvous.internal;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.RemoteHosts;
import io.parley.resolver.internal.RemoteRateLimiter;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The dependencies that all components of one peer's rendezvous service share. */
record RendezvousContext(
        Endpoint endpoint,
        Identity identity,
        AdvertisementSigner signer,
        AdvertisementVerifier verifier,
        Resolver resolver,
        Executor executor,
        Scheduler scheduler,
        RendezvousLimits limits,
        RendezvousAdmission admission,
        RendezvousMetrics metrics) {

    private static final Logger log = LoggerFactory.getLogger(RendezvousContext.class);

    /** The group of all rendezvous and clients. It is not in the list of a peer's groups, and nothing is published in it. */
    static final GroupId GROUP = GroupId.ofName("parley rendezvous");

    /** The service that receives group messages. */
    static final ServiceAddress SERVICE = ServiceAddress.of("rendezvous");

    /** The maximum window of each sender of group messages. */
    static final int WINDOW_BYTES = 64 * 1024;

    /**
     * High limits, because a rendezvous queries another one on behalf of all its clients, and expensive requests have rates of
     * their own. Nothing is propagated.
     */
    static final ResolverLimits RESOLVER_LIMITS = ResolverLimits.DEFAULTS.toBuilder()
            .queriesPerSecond(20_000)
            .propagatedQueriesPerSecond(1)
            .build();

    /** The delay after which a task is passed again to an executor that has failed. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    static final String LEASE = "lease";
    static final String VIEW = "view";
    static final String PUBLISH = "publish";
    static final String REPLICATE = "replicate";
    static final String FIND = "find";

    PeerId self() {
        return identity.peerId();
    }

    /** Sends a query to the handler {@code name} of another peer. */
    CompletableFuture<Message> query(PeerId peer, String name, Message body, Duration timeout) {
        return resolver.query(peer, name, body, timeout);
    }

    /** Returns the host of a peer, for limits that count hosts. */
    String hostOf(PeerId peer) {
        return RemoteHosts.of(endpoint, peer);
    }

    /** Returns a limiter of the rate of each peer, each host and all; see {@link RemoteRateLimiter}. */
    RemoteRateLimiter rateLimiter(String subject, String limitName, long perSecond, long totalPerSecond, int maxPeers) {
        return new RemoteRateLimiter(subject, limitName, perSecond, totalPerSecond, maxPeers, this::hostOf, scheduler);
    }

    /** Returns a copy of the future that fails with {@link ErrorCode#TIMEOUT} if it is not complete after the timeout. */
    <T> CompletableFuture<T> within(Duration timeout, CompletableFuture<T> future) {
        CompletableFuture<T> limited = future.copy();
        Scheduler.Timer timer = scheduler.schedule(
                timeout,
                () -> limited.completeExceptionally(
                        ErrorCode.TIMEOUT.exception("no response within " + DurationFormatter.format(timeout))));
        limited.whenComplete((value, failure) -> timer.cancel());
        return limited;
    }

    /**
     * Runs the task on the executor. Drops it if the executor is shut down, because the peer is closed then. If the executor fails for
     * another reason, such as a thread that cannot be created, the task runs later.
     */
    void execute(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException e) {
            // the peer is closed
        } catch (RuntimeException | Error e) {
            log.warn("Cannot run a task of the rendezvous service; trying again in {}", RETRY_DELAY, e);
            schedule(RETRY_DELAY, task);
        }
    }

    /** Runs the task once on the executor after the delay, unless the peer is closed then. */
    Scheduler.Timer schedule(Duration delay, Runnable task) {
        return Timers.schedule(scheduler, delay, executor, () -> run(task));
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.CLOSED) { // a component was closed since the task was submitted
                throw e;
            }
        }
    }

    /** Counts an unauthorized request; returns the exception for a request from a peer whose role does not permit it. */
    ParleyException unauthorized(String reason) {
        metrics.increment(Counter.REQUESTS_UNAUTHORIZED);
        return ErrorCode.NO_SUCH_SERVICE.exception(reason);
    }

    /** Returns the exception for a call that needs a rendezvous while there is none. */
    static ParleyException offlineException() {
        return ErrorCode.UNREACHABLE.exception(
                "no rendezvous: this peer has no lease at present; Peer.rendezvous().status() has the reason");
    }

    static ParleyException closedException() {
        return ErrorCode.CLOSED.exception("the rendezvous service is closed");
    }

    static boolean isBusy(Throwable failure) {
        return Throwables.unwrap(failure) instanceof ParleyException known && known.code() == ErrorCode.BUSY;
    }
}
