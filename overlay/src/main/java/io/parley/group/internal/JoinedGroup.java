package io.parley.group.internal;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.discovery.Discovery;
import io.parley.discovery.internal.DiscoveryBuilder;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.MemberView;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.GroupView;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousService;
import io.parley.resolver.internal.GroupResolver;
import io.parley.resolver.internal.Propagator;
import io.parley.resolver.internal.Resolver;
import io.parley.resolver.internal.ResolverBuilder;
import io.parley.transport.EndpointAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A group with its own resolver and discovery. Thread-safe. */
public final class JoinedGroup implements PeerGroup {

    private static final Logger log = LoggerFactory.getLogger(JoinedGroup.class);

    private final GroupContext context;
    private final GroupId id;
    private final String name;
    private final GroupResolver resolver;
    private final Discovery discovery;
    private final PeerLocator locator;
    private final GroupExtensions extensions;
    private final Object joining = new Object();

    /** Written by the factory of views, of which one runs at a time. */
    private volatile CompletableFuture<Void> lastViewClosed = CompletableFuture.completedFuture(null);

    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    JoinedGroup(GroupContext context, GroupId id, String name) {
        this.context = context;
        this.id = id;
        this.name = name;
        this.extensions = new GroupExtensions(
                this,
                context.scheduler(),
                context.endpoint().limits().closeTimeout().dividedBy(4));
        this.resolver = new ResolverBuilder(context.endpoint(), id, context.workExecutor())
                .limits(context.resolverLimits())
                .metrics(context.resolverMetrics())
                .scheduler(context.scheduler())
                .open();
        try {
            this.discovery = new DiscoveryBuilder(
                            resolver,
                            context.endpoint(),
                            context.store(),
                            context.signer(),
                            context.verifier(),
                            context.workExecutor())
                    .callbackExecutor(context.callbackExecutor())
                    .index(context.rendezvous().index())
                    .limits(context.discoveryLimits())
                    .storeLimits(context.storeLimits())
                    .expiration(context.expiration())
                    .metrics(context.discoveryMetrics())
                    .scheduler(context.scheduler())
                    .open();
            this.locator = new PeerLocator(context.endpoint(), discovery, context.workExecutor());
            joinRendezvous();
            addPropagator(new DeferredPropagator(context.multicast(), context.scheduler()));
            discovery.publish(self());
        } catch (RuntimeException e) {
            context.rendezvous().leave(id);
            resolver.closeAsync(); // which closes the discovery
            throw e;
        }
    }

    /** Fails if the lease has no room for another group. */
    private void joinRendezvous() {
        CompletableFuture<Void> joining = context.rendezvous().join(id);
        if (joining.isCompletedExceptionally()) {
            try {
                joining.join();
            } catch (CompletionException e) {
                throw ParleyException.unchecked(e);
            }
        }
        addPropagator(context.rendezvous().propagator(id));
    }

    private void addPropagator(Propagator propagator) {
        try {
            resolver.addPropagator(propagator);
        } catch (ParleyException e) { // because the group was left meanwhile
            log.debug("Group {} does not use {}: {}", name, propagator, e.getMessage());
        }
    }

    private PeerAdvertisement self() {
        PeerId peer = context.endpoint().peerId();
        PeerAdvertisement advertisement = PeerAdvertisement.of(peer, id, context.peerName());
        List<String> addresses = context.endpoint().addresses().stream()
                .map(EndpointAddress::toString)
                .toList();
        return addresses.isEmpty() ? advertisement : advertisement.withRoute(RouteAdvertisement.of(peer, addresses));
    }

    @Override
    public GroupId id() {
        return id;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String peerName() {
        return context.peerName();
    }

    @Override
    public Discovery discovery() {
        return discovery;
    }

    /** Returns the resolver of the group. */
    public Resolver resolver() {
        return resolver;
    }

    @Override
    public MemberView members() {
        return extensions.get(GroupView.class, this::openView);
    }

    private GroupView openView(PeerGroup group) {
        GroupView view = GroupView.open(
                group,
                context.identity(),
                context.signer(),
                context.verifier(),
                context.memberViewLimits(),
                lastViewClosed);
        lastViewClosed = view.whenClosed();
        return view;
    }

    @Override
    public CompletableFuture<Void> locate(PeerId peer) {
        return locator.locate(peer);
    }

    @Override
    public CompletableFuture<Void> whenOnline() {
        synchronized (joining) { // the group is not joined again after it was left
            return closing.get()
                    ? CompletableFuture.failedFuture(ErrorCode.CLOSED.exception("group " + name + ": closed"))
                    : context.rendezvous().join(id);
        }
    }

    @Override
    public Endpoint endpoint() {
        return context.endpoint();
    }

    @Override
    public RendezvousService rendezvous() {
        return context.rendezvous();
    }

    @Override
    public Executor callbackExecutor() {
        return context.callbackExecutor();
    }

    @Override
    public Executor workExecutor() {
        return context.workExecutor();
    }

    @Override
    public Scheduler scheduler() {
        return context.scheduler();
    }

    @Override
    public <T extends AsyncCloseable> T extension(Class<T> type, Function<? super PeerGroup, ? extends T> factory) {
        return extensions.get(type, factory);
    }

    @Override
    public void count(Enum<?> counter, long amount) {
        context.serviceCounters().add(counter, amount);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            extensions.closeAsync().whenComplete((done, failure) -> closeServices());
        }
        return closed.copy();
    }

    private void closeServices() {
        discovery.closeAsync().whenComplete((withdrawn, failure) -> {
            synchronized (joining) {
                context.rendezvous().leave(id);
            }
            resolver.closeAsync().whenComplete((done, problem) -> closed.complete(null));
        });
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.endpoint().limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "PeerGroup " + name;
    }
}
