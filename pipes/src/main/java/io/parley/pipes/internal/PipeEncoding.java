package io.parley.pipes.internal;

import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.MessengerOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of elements of pipes: the policy of output pipes, and the schemes of input pipes.
 *
 * @param policy    null if elements are sent as they are
 * @param schemes   the schemes that the application has passed
 * @param decoding  whether input pipes accept encoded elements
 */
public record PipeEncoding(@Nullable EncodingPolicy policy, List<EncodingScheme> schemes, boolean decoding) {

    /** Elements are sent as they are, and decoded by the installed schemes. */
    static final PipeEncoding DEFAULT = new PipeEncoding(null, List.of(), true);

    public PipeEncoding withPolicy(EncodingPolicy newPolicy) {
        return new PipeEncoding(newPolicy, schemes, decoding);
    }

    /** @throws IllegalArgumentException if two schemes have the same name, or a name is not valid */
    public PipeEncoding withSchemes(List<EncodingScheme> newSchemes) {
        Set<String> names = new HashSet<>();
        for (EncodingScheme scheme : newSchemes) {
            EncodingPolicy.of(scheme); // checks the name
            if (!names.add(scheme.name())) {
                throw new IllegalArgumentException(
                        "schemes: two have the name " + scheme.name() + " (expected: different names)");
            }
        }
        return new PipeEncoding(policy, newSchemes, true);
    }

    public PipeEncoding withoutSchemes() {
        return new PipeEncoding(policy, List.of(), false);
    }

    /** @throws IllegalArgumentException if the policy has a scheme with state, which needs all messages */
    void requireNoState() {
        if (policy == null) {
            return;
        }
        for (EncodingScheme scheme : policy.schemes()) {
            if (scheme.maxStateBytes() > 0) {
                throw new IllegalArgumentException("encoding scheme " + scheme.name()
                        + ": keeps state (expected: a scheme without state, because best-effort messages may be lost)");
            }
        }
    }

    /** @throws IllegalStateException if the policy requires a scheme, because a call of this kind sends elements as they are */
    void requireOptional(String call, String remedy) {
        if (policy == null) {
            return;
        }
        for (EncodingScheme scheme : policy.schemes()) {
            if (policy.requires(scheme)) {
                throw new IllegalStateException(
                        call + ": does not encode elements, but the encoding policy requires the scheme "
                                + scheme.name() + "; " + remedy);
            }
        }
    }

    /** Makes a messenger encode elements, if the pipes do. Returns the options. */
    MessengerOptions applyTo(MessengerOptions options) {
        return policy == null ? options : options.withEncoding(policy);
    }

    /** Returns the schemes by which senders may encode elements. */
    List<EncodingScheme> acceptedSchemes() {
        return decoding ? allSchemes() : List.of();
    }

    /** Returns whether a passed scheme, such as encryption, keeps state between messages. Those on the class path are not considered. */
    public boolean keepsState() {
        return schemes.stream().anyMatch(scheme -> scheme.maxStateBytes() > 0);
    }

    /** Returns the passed schemes, and those on the class path that have other names. */
    private List<EncodingScheme> allSchemes() {
        List<EncodingScheme> all = new ArrayList<>(schemes);
        Set<String> names = new HashSet<>();
        schemes.forEach(scheme -> names.add(scheme.name()));
        EncodingScheme.installed().stream()
                .filter(scheme -> names.add(scheme.name()))
                .forEach(all::add);
        return all;
    }
}
