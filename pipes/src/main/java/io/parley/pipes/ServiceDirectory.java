package io.parley.pipes;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.ModuleSpecAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.internal.TextSanitizer;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.internal.BlockingCalls;
import io.parley.pipes.internal.unicast.AbstractInputPipe;
import io.parley.pipes.internal.unicast.ServicePublication;
import io.parley.store.ValuePattern;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Offers and finds services of a group by what they do, as JXTA's modules: a <em>class</em> is a kind of service, such as a calculator; a
 * <em>specification</em> is one protocol of a class, which every implementation follows, and names the pipe on which the service listens.
 * Ids of classes and specifications follow from their names, so that peers agree on them without a registry. Instances hold no resources.
 * Thread-safe.
 *
 * <pre>{@code
 * ServiceDirectory services = Pipes.of(group).services();
 * services.serve(services.spec("calculator", "square"), request -> square(request));
 *
 * AdvertisementId calculators = AdvertisementId.ofModuleClass("calculator");
 * for (FoundService found : services.find(calculators, SearchOptions.of(timeout, 10)).get()) {
 *     PipeMessage response = services.request(found.spec(), message, timeout);
 * }
 * }</pre>
 *
 * <p>Every member of a group may publish every specification, and name the pipe of another member in it. The signature proves who has
 * published it. A request goes to a peer that has the pipe open, and {@link PipeMessage#from} of the response is that peer, authenticated.
 */
public final class ServiceDirectory {

    private static final DiscoveryQuery SPECS = DiscoveryQuery.of(ModuleSpecAdvertisement.TYPE_NAME);

    private final PeerGroup group;
    private final Pipes pipes;

    ServiceDirectory(PeerGroup group, Pipes pipes) {
        this.group = group;
        this.pipes = pipes;
    }

    /**
     * Returns the specification of a service of a class, which listens on the pipe of the same name in the group. Another version of the
     * protocol is another specification and needs another name.
     */
    public ModuleSpecAdvertisement spec(String className, String name) {
        return ModuleSpecAdvertisement.of(
                AdvertisementId.ofModuleSpec(AdvertisementId.ofModuleClass(className), name),
                name,
                PipeAdvertisement.of(pipes.pipeId(name), pipes.serviceType(), name));
    }

    /**
     * Offers a service as {@link Pipes#serve(String, RequestHandler)} does, on the pipe of the specification. Publishes the specification
     * and the pipe until the pipe is closed. A peer offers a specification on one pipe: a later one replaces its publication.
     *
     * @throws IllegalArgumentException if the specification has no pipe of this group, or none that is as secure as these pipes
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#ALREADY_BOUND} if this peer has the pipe open
     */
    public InputPipe serve(ModuleSpecAdvertisement spec, RequestHandler handler) {
        return serve(spec, handler, group.callbackExecutor());
    }

    /**
     * Offers a service as {@link #serve(ModuleSpecAdvertisement, RequestHandler)} does.
     *
     * @param executor runs the handler: see {@link Pipes#serve(String, RequestHandler, Executor)}
     */
    public InputPipe serve(ModuleSpecAdvertisement spec, RequestHandler handler, Executor executor) {
        PipeAdvertisement published = requirePipe(spec);
        AbstractInputPipe pipe = pipes.inputPipes().serve(idOf(published), handler, executor);
        try {
            pipe.publish(ServicePublication.publish(group, published, spec));
            return pipe;
        } catch (RuntimeException e) {
            pipe.closeAsync();
            throw e;
        }
    }

    /**
     * Searches for services by the name of their specification.
     *
     * @param name    a name, or a pattern: see {@link ValuePattern#parse}
     * @param options {@code maxResults} counts the specifications of each publisher
     * @return a future of the services, each with its publishers, in the order in which they were found. Specifications without a pipe of
     *     this group that is as secure as these pipes are left out. The future fails as {@link io.parley.discovery.Discovery#find}.
     *     Cancelling it ends the search
     */
    public CompletableFuture<List<FoundService>> find(String name, SearchOptions options) {
        return find(SPECS.with("Name", name), options);
    }

    /**
     * Searches for services of a class, or for those that follow a specification. See {@link #find(String, SearchOptions)}.
     *
     * @param classOrSpec the id of the class, such as {@link AdvertisementId#ofModuleClass}, or of the specification
     */
    public CompletableFuture<List<FoundService>> find(AdvertisementId classOrSpec, SearchOptions options) {
        boolean isClass = classOrSpec.moduleClass().filter(classOrSpec::equals).isPresent();
        return find(SPECS.with(isClass ? "MCID" : "MSID", ValuePattern.exactly(classOrSpec.urn())), options);
    }

    private CompletableFuture<List<FoundService>> find(DiscoveryQuery query, SearchOptions options) {
        CompletableFuture<List<SignedAdvertisement>> search = group.discovery().find(query, options);
        CompletableFuture<List<FoundService>> services = search.thenApply(this::services);
        services.whenComplete((found, failure) -> {
            if (failure != null) {
                search.cancel(false); // ends the search if the future is cancelled
            }
        });
        return services;
    }

    /** Unites equal documents. Texts are the keys, not records, because other peers could choose records with the same hash code. */
    private List<FoundService> services(List<SignedAdvertisement> found) {
        Map<String, ModuleSpecAdvertisement> specs = new LinkedHashMap<>();
        Map<String, List<PeerId>> publishers = new LinkedHashMap<>();
        for (SignedAdvertisement signed : found) {
            if (signed.advertisement() instanceof ModuleSpecAdvertisement spec
                    && pipeOf(spec).isPresent()) {
                String document = new String(signed.document(), StandardCharsets.ISO_8859_1);
                specs.putIfAbsent(document, spec);
                publishers.computeIfAbsent(document, first -> new ArrayList<>()).add(signed.publisher());
            }
        }
        List<FoundService> services = new ArrayList<>();
        specs.forEach(
                (document, spec) -> services.add(new FoundService(spec, publishers.getOrDefault(document, List.of()))));
        return services;
    }

    /** Returns the pipe of a specification; empty unless it is in this group and as secure as these pipes. */
    private Optional<PipeAdvertisement> pipeOf(ModuleSpecAdvertisement spec) {
        return Optional.ofNullable(spec.pipe())
                .filter(pipe -> pipe.pipeType() == pipes.serviceType())
                .filter(pipe -> pipe.id()
                        .pipeId()
                        .filter(id -> id.group().equals(group.id()))
                        .isPresent());
    }

    private PipeAdvertisement requirePipe(ModuleSpecAdvertisement spec) {
        return pipeOf(spec).orElseThrow(() -> {
            PipeAdvertisement pipe = spec.pipe();
            return new IllegalArgumentException("specification " + spec.moduleSpec() + ": pipe: "
                    + (pipe == null
                            ? "none"
                            : pipe.id() + ", " + pipe.pipeType().jxtaName())
                    + " (expected: a pipe of group " + group.name() + ", "
                    + pipes.serviceType().jxtaName() + ")");
        });
    }

    private static PipeId idOf(PipeAdvertisement pipe) {
        return pipe.id().pipeId().orElseThrow();
    }

    /**
     * Sends a request to the service on the pipe of a specification, as {@link Pipes#requestAsync} does to the service of a name. If
     * the pipe is the one of its name in the group, both share the known holders.
     *
     * @return a future as that of {@link Pipes#requestAsync}
     * @throws IllegalArgumentException if the specification has no pipe of this group, or none that is as secure as these pipes
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs
     * @throws IllegalStateException if the policy of {@link Pipes#withEncoding} requires a scheme
     */
    public CompletableFuture<PipeMessage> requestAsync(
            ModuleSpecAdvertisement spec, Message message, Duration timeout) {
        PipeAdvertisement pipe = requirePipe(spec);
        PipeId id = idOf(pipe);
        String name = pipe.name();
        if (name != null
                && name.equals(TextSanitizer.oneLine(name)) // because errors contain it
                && pipes.pipeId(name).equals(id)) {
            return pipes.requestAsync(name, null, message, timeout);
        }
        return pipes.requestAsync(id.text(), id, message, timeout);
    }

    /**
     * Sends a request and waits for the response: the blocking form of {@link #requestAsync}.
     *
     * @throws ParleyException as {@link #requestAsync} fails
     * @throws InterruptedException if the thread is interrupted; the response is ignored then
     * @throws IllegalStateException on an event loop, which must not block; if the policy of {@link Pipes#withEncoding} requires a scheme
     */
    public PipeMessage request(ModuleSpecAdvertisement spec, Message message, Duration timeout)
            throws InterruptedException {
        return BlockingCalls.awaitValue(
                requestAsync(spec, message, timeout), "request to the service of specification " + spec.moduleSpec());
    }
}
