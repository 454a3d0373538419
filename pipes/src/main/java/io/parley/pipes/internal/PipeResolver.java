package io.parley.pipes.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchReport;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves a pipe: finds a peer that holds its input pipe, and binds to it. All publishers of the pipe's advertisement are tried,
 * those in the local store first. The first that responds is selected. If that does not succeed at once, other peers are
 * queried, round after round until the timeout, because the holder may be about to start. Runs on the work executor of the
 * peer. Thread-safe.
 */
public final class PipeResolver {

    /**
     * A pipe to resolve.
     *
     * @param name         the name that the caller gave; {@code null} if it gave the id
     * @param options      the options of the output pipe
     * @param asAdvertised whether a holder that has published the pipe as a secure one is used, too, by a secure channel
     */
    public record Target(PipeId id, @Nullable String name, PipeOptions options, boolean asAdvertised) {

        public Target(PipeId id, @Nullable String name, PipeOptions options) {
            this(id, name, options, false);
        }

        /** Returns a target that only holders of such a pipe match. */
        public Target withSecurity(PipeSecurity value) {
            return new Target(id, name, options.withSecurity(value));
        }

        /** @param advertised the security of the pipe by the advertisement of the holder */
        Messenger newMessenger(PeerGroup group, PeerId holder, PipeSecurity advertised) {
            return (asAdvertised ? withSecurity(advertised) : this).newMessenger(group, holder);
        }

        public Messenger newMessenger(PeerGroup group, PeerId holder) {
            return options.newMessenger(group, holder, service(id));
        }

        @Override
        public String toString() {
            return name == null ? "pipe " + id : "pipe \"" + name + "\" (" + id + ")";
        }
    }

    private static final Logger log = LoggerFactory.getLogger(PipeResolver.class);

    private static final String SERVICE = "pipe";

    /** The time that publishers in the local store have before other peers are queried too. */
    static final Duration HEAD_START = Duration.ofMillis(200);

    /** The time after which an unsuccessful resolution searches for members of the group, to explain a failure. */
    static final Duration DIAGNOSIS_DELAY = Duration.ofMillis(300);

    static final Duration ROUND_TIMEOUT = Duration.ofSeconds(5);
    static final Duration FIRST_DELAY = Duration.ofMillis(200);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(2);

    /** The delay after which a task is passed again to an executor that has failed. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private static final int MAX_HOLDERS = 16;
    private static final int MAX_MEMBERS = 4;

    private final PeerGroup group;
    private final Target pipe;
    private final Duration timeout;
    private final Scheduler scheduler;
    private final long deadlineNanos;
    private final DiscoveryQuery query;
    private final CompletableFuture<Messenger> found = new CompletableFuture<>();

    private final Set<PeerId> pending = new HashSet<>();
    private final Map<PeerId, ParleyException> failures = new LinkedHashMap<>();
    private final Set<PeerId> members = new HashSet<>();

    /** The messengers to holders that have not responded. */
    private final Set<Messenger> attempts = new HashSet<>();

    private @Nullable Search round;
    private @Nullable SearchReport report;
    private @Nullable Search memberSearch;
    private boolean searching;

    /** Returns the service that receives the messages of a pipe. */
    public static ServiceAddress service(PipeId id) {
        return new ServiceAddress(SERVICE, id.text());
    }

    public PipeResolver(PeerGroup group, Target pipe, Duration timeout) {
        this.group = group;
        this.pipe = pipe;
        this.timeout = timeout;
        this.scheduler = group.scheduler();
        this.deadlineNanos = scheduler.nanoTime() + timeout.toNanos();
        this.query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", AdvertisementId.of(pipe.id()).urn());
    }

    /**
     * Starts. Does not complete the result before this method has returned, unless the peer is closed.
     *
     * @return a future that completes with a messenger whose service has responded, which the caller must close. Cancelling it
     *     ends the search. It fails after the timeout with the {@link #failureCode}
     */
    public CompletableFuture<Messenger> start() {
        List<Scheduler.Timer> timers = List.of(
                after(timeout, this::fail),
                after(HEAD_START, this::searchRemotely),
                after(DIAGNOSIS_DELAY, this::searchMembers));
        found.whenComplete((messenger, failure) -> {
            timers.forEach(Scheduler.Timer::cancel);
            closeSearches();
            abortAttempts(messenger);
        });
        run(this::tryLocal);
        return found;
    }

    private void tryLocal() {
        List<SignedAdvertisement> known;
        try {
            known = group.discovery().findLocal(query, MAX_HOLDERS);
        } catch (ParleyException e) {
            found.completeExceptionally(e);
            return;
        }
        known.forEach(this::onPublished);
        if (known.isEmpty()) {
            searchRemotely();
        }
    }

    /** Queries other peers, unless that has begun. */
    private void searchRemotely() {
        synchronized (this) {
            if (searching) {
                return;
            }
            searching = true;
        }
        startRound(FIRST_DELAY);
    }

    /** @param delay the time from the end of this round to the next one */
    private void startRound(Duration delay) {
        Duration left = remaining();
        if (found.isDone() || left.isNegative() || left.isZero()) {
            return;
        }
        Duration longer = shorter(delay.multipliedBy(2), LONGEST_DELAY);
        Search started;
        try {
            started = group.discovery()
                    .search(
                            query,
                            options(shorter(left, ROUND_TIMEOUT), MAX_HOLDERS),
                            this::onPublished,
                            group.workExecutor());
        } catch (ParleyException e) {
            found.completeExceptionally(e);
            return;
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created: it would end all rounds
            log.warn("Cannot search for {}; the next search follows", pipe, e);
            after(delay, () -> startRound(longer));
            return;
        }
        synchronized (this) {
            round = started;
        }
        if (found.isDone()) {
            closeSearches();
        }
        started.whenDone().whenComplete((results, failure) -> {
            onRoundDone(started);
            after(delay, () -> startRound(longer));
        });
    }

    private synchronized void onRoundDone(Search done) {
        report = done.report();
    }

    /** Searches for other members of the group: without any, the group is likely to be the wrong one. */
    private void searchMembers() {
        Duration left = remaining();
        if (left.isNegative() || left.isZero()) {
            return;
        }
        Search started;
        try {
            started = group.discovery()
                    .search(
                            DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME),
                            options(shorter(left, ROUND_TIMEOUT), MAX_MEMBERS),
                            this::onMember,
                            group.workExecutor());
        } catch (ParleyException e) {
            return; // which the round reports
        }
        synchronized (this) {
            memberSearch = started;
        }
        if (found.isDone()) {
            closeSearches();
        }
    }

    private synchronized void onMember(SignedAdvertisement advertisement) {
        if (!advertisement.publisher().equals(group.endpoint().peerId())) {
            members.add(advertisement.publisher());
        }
    }

    private static SearchOptions options(Duration timeout, int maxResults) {
        return new SearchOptions(timeout, maxResults, SearchOptions.Scope.LOCAL_AND_REMOTE);
    }

    private Duration remaining() {
        return Duration.ofNanos(deadlineNanos - scheduler.nanoTime());
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void closeSearches() {
        Search currentRound;
        Search currentMemberSearch;
        synchronized (this) {
            currentRound = round;
            currentMemberSearch = memberSearch;
        }
        if (currentRound != null) {
            currentRound.closeAsync();
        }
        if (currentMemberSearch != null) {
            currentMemberSearch.closeAsync();
        }
    }

    private void onPublished(SignedAdvertisement advertisement) {
        PeerId holder = advertisement.publisher();
        synchronized (this) {
            if (found.isDone() || !pending.add(holder)) {
                return;
            }
        }
        PipeSecurity advertised = PipeSecurity.of(advertisement);
        // Also after a failure: the holder may be connected or have a known address; if not, the attempt reports the
        // reason.
        group.locate(holder).whenComplete((located, failure) -> connect(holder, advertised));
    }

    private void connect(PeerId holder, PipeSecurity advertised) {
        Messenger messenger;
        try {
            messenger = pipe.newMessenger(group, holder, advertised);
        } catch (RuntimeException e) { // any other holder would fail in the same way
            found.completeExceptionally(e);
            return;
        } catch (Error e) {
            onFailed(holder, e);
            return;
        }
        if (!addAttempt(messenger)) {
            messenger.abort();
            return;
        }
        messenger.resolve().whenComplete((resolved, failure) -> {
            if (failure == null) {
                found.complete(messenger);
            } else {
                removeAttempt(messenger);
                messenger.abort();
                onFailed(holder, failure);
            }
        });
    }

    /** Returns false if the resolution has ended. */
    private synchronized boolean addAttempt(Messenger messenger) {
        return !found.isDone() && attempts.add(messenger);
    }

    private synchronized void removeAttempt(Messenger messenger) {
        attempts.remove(messenger);
    }

    /** Aborts the attempts in progress, except for the selected one. Called once, after the end of the resolution. */
    private void abortAttempts(@Nullable Messenger selected) {
        List<Messenger> remaining;
        synchronized (this) {
            remaining = new ArrayList<>(attempts);
            attempts.clear();
        }
        remaining.stream().filter(attempt -> attempt != selected).forEach(Messenger::abort);
    }

    private void onFailed(PeerId holder, Throwable failure) {
        synchronized (this) {
            pending.remove(holder); // a later round tries it again
            failures.put(holder, Throwables.toParleyException(failure, ErrorCode.UNREACHABLE));
            if (failures.size() > MAX_HOLDERS) {
                failures.keySet().remove(failures.keySet().iterator().next());
            }
        }
        run(this::searchRemotely);
    }

    /** Explains why no holder was found so far, without a period. */
    public synchronized String reason() {
        SearchReport last = report != null || round == null ? report : round.report();
        return PipeNotFoundReason.of(group, failures, members, last);
    }

    /**
     * Returns the code for {@link #reason}: {@link ErrorCode#SECURITY_MISMATCH} if that is why all holders that were found have refused,
     * otherwise {@link ErrorCode#UNREACHABLE}.
     */
    public synchronized ErrorCode failureCode() {
        return !failures.isEmpty()
                        && failures.values().stream().allMatch(failure -> failure.code() == ErrorCode.SECURITY_MISMATCH)
                ? ErrorCode.SECURITY_MISMATCH
                : ErrorCode.UNREACHABLE;
    }

    private void fail() {
        String reason = reason();
        found.completeExceptionally(failureCode()
                .exception(pipe + " in group " + group.name() + ": no holder found within "
                        + DurationFormatter.format(timeout) + ": " + reason));
    }

    private Scheduler.Timer after(Duration delay, Runnable task) {
        return scheduler.schedule(delay, () -> run(task));
    }

    /**
     * Runs the task on the work executor, because it may wait for the disk. If the executor fails, such as for lack of a thread, the task
     * runs later: also the timeout is one.
     */
    private void run(Runnable task) {
        if (found.isDone()) {
            return;
        }
        try {
            group.workExecutor().execute(() -> {
                if (!found.isDone()) {
                    task.run();
                }
            });
        } catch (RejectedExecutionException e) {
            found.completeExceptionally(ErrorCode.CLOSED.exception(pipe + ": the peer is closed", e));
        } catch (RuntimeException | Error e) {
            log.warn("Cannot run a task of the search for {}; trying again in {}", pipe, RETRY_DELAY, e);
            after(RETRY_DELAY, task);
        }
    }
}
