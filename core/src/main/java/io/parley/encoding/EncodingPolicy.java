package io.parley.encoding;

import io.parley.encoding.internal.EncodingSchemeRegistry;
import io.parley.message.MessageElement;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * The elements that a pipe encodes, and the schemes that it applies to them in order. Without further calls all elements are
 * selected, and a scheme that the receiver lacks is left out unless it is {@linkplain EncodingScheme#isRequired required}. Immutable
 * and thread-safe if the selector is.
 *
 * <pre>{@code
 * EncodingPolicy policy = EncodingPolicy.of(new FastInfosetEncodingScheme(), new AesGcmEncodingScheme(keys))
 *         .withSelector(element -> element.name().equals("document"));
 * OutputPipe out = Pipes.of(group).withEncoding(policy).connect("forecast", Duration.ofSeconds(5));
 * }</pre>
 */
public final class EncodingPolicy {

    /** The maximum number of schemes that a policy may contain and that a receiver accepts. */
    public static final int MAX_SCHEMES = 8;

    private final List<EncodingScheme> schemes;
    private final Predicate<MessageElement> selector;
    private final boolean requiringAll;

    private EncodingPolicy(List<EncodingScheme> schemes, Predicate<MessageElement> selector, boolean requiringAll) {
        this.schemes = schemes;
        this.selector = Objects.requireNonNull(selector, "selector");
        this.requiringAll = requiringAll;
    }

    /**
     * Returns a policy that selects all elements.
     *
     * @param schemes in the order in which they encode; compression belongs before encryption
     * @throws IllegalArgumentException if there are none or more than {@link #MAX_SCHEMES}, or two have the same name
     */
    public static EncodingPolicy of(EncodingScheme... schemes) {
        List<EncodingScheme> chain = List.of(schemes);
        if (chain.isEmpty() || chain.size() > MAX_SCHEMES) {
            throw new IllegalArgumentException("schemes: " + chain.size() + " (expected: 1 to " + MAX_SCHEMES + ")");
        }
        if (EncodingSchemeRegistry.of(chain).schemes().size() < chain.size()) {
            throw new IllegalArgumentException(
                    "schemes: " + chain.stream().map(EncodingScheme::name).toList() + " (expected: different names)");
        }
        return new EncodingPolicy(chain, element -> true, false);
    }

    /**
     * Returns the same policy with another selection of elements.
     *
     * @param newSelector called once for each element, on the thread that sends; must be fast and thread-safe
     */
    public EncodingPolicy withSelector(Predicate<MessageElement> newSelector) {
        return new EncodingPolicy(schemes, newSelector, requiringAll);
    }

    /** Returns the same policy, which selects the elements of a {@link MessageElementProducer}, and no others. */
    public EncodingPolicy withProducedElements() {
        return withSelector(MessageElement::isSelectedForEncoding);
    }

    /** Returns the same policy, under which sending fails if the receiver lacks any scheme. */
    public EncodingPolicy withRequiredSchemes() {
        return new EncodingPolicy(schemes, selector, true);
    }

    /** Returns the schemes in the order in which they encode. */
    public List<EncodingScheme> schemes() {
        return schemes;
    }

    /** Returns whether an element is selected. */
    public boolean selects(MessageElement element) {
        return selector.test(element);
    }

    /** Returns whether sending fails if the receiver lacks a scheme; otherwise the scheme is left out. */
    public boolean requires(EncodingScheme scheme) {
        return requiringAll || scheme.isRequired();
    }
}
