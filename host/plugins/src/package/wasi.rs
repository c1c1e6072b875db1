//! Resolves WASI when a package is made. Our adapter answers the WASI imports of compilers and interpreters, so a
//! package imports nothing but `iac:plugin`.
//!
//! The answers are the same when a call is repeated. Output becomes lines of the log, the clock shows the instant of
//! the call, that instant seeds the random numbers, and a sleep takes no time. There are no arguments, environment
//! variables, files or networks. The functions are generated from the component's own imports, so any 0.2 version
//! will do.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use wac_graph::types::Package as Part;
use wac_graph::{CompositionGraph, EncodeOptions, plug};
use wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER;
use wit_component::{ComponentEncoder, DecodedWasm, StringEncoding, WitPrinter, embed_component_metadata};
use wit_parser::abi::{AbiVariant, WasmSignature, WasmType};
use wit_parser::{Function, Resolve, SizeAlign, Type, TypeDefKind, WorldId, WorldItem};

/// The module name under which core modules import WASI preview 1.
const PREVIEW1: &str = "wasi_snapshot_preview1";

const RUNTIME: &str = include_str!("wasi/runtime.wat");

/// The adapter's own imports. Every plugin has them.
const OURS: &str = "package iac:plugin@0.1.0 {
  interface log {
    enum level { error, warn, info, debug }
    write: func(level: level, message: string);
  }
  interface clock {
    record instant { milliseconds: u64, offset-seconds: s32, zone: string }
    now: func() -> instant;
  }
}";

/// Lets the encoder implement WASI preview 1 on top of WASI 0.2, which [`close`] then answers.
pub(super) fn lift(encoder: ComponentEncoder, module: &[u8]) -> anyhow::Result<ComponentEncoder> {
    if imports(module, |from| from == PREVIEW1) {
        encoder.adapter(PREVIEW1, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)
    } else {
        Ok(encoder)
    }
}

/// Links the adapter into a component that imports WASI. Any other component stays as it is.
pub(super) fn close(component: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    if !imports(&component, |from| from.starts_with("wasi:")) {
        return Ok(component);
    }
    let adapter = adapter(&component)?;
    let mut graph = CompositionGraph::new();
    let read =
        |name, bytes, graph: &mut CompositionGraph| Part::from_bytes(name, None, bytes, graph.types_mut());
    let guest = read("iac:guest", component, &mut graph)?;
    let guest = graph.register_package(guest)?;
    let adapter = read("iac:wasi", adapter, &mut graph)?;
    let adapter = graph.register_package(adapter)?;
    plug(&mut graph, vec![adapter], guest)?;
    Ok(graph.encode(EncodeOptions { define_components: true, validate: false, processor: None })?)
}

/// Tells whether a module or a component has a top-level import with a matching name.
pub(super) fn imports(wasm: &[u8], is_meant: impl Fn(&str) -> bool) -> bool {
    use wasmparser::Payload;

    let mut depth = 0_usize;
    wasmparser::Parser::new(0).parse_all(wasm).flatten().any(|payload| match payload {
        Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
            depth += 1;
            false
        }
        Payload::End(_) => {
            depth = depth.saturating_sub(1);
            false
        }
        Payload::ImportSection(section) if depth == 0 => {
            section.into_imports().flatten().any(|import| is_meant(import.module))
        }
        Payload::ComponentImportSection(section) if depth == 0 => {
            section.into_iter().flatten().any(|import| is_meant(import.name.name))
        }
        _ => false,
    })
}

/// Makes a component that exports every WASI interface that `component` imports, with the types of that component.
fn adapter(component: &[u8]) -> anyhow::Result<Vec<u8>> {
    let (resolve, world) = world(component)?;
    let wat = module(&resolve, world);
    let mut module = wat::parse_str(&wat)?;
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    ComponentEncoder::default().module(&module)?.validate(true).encode()
}

/// Describes the adapter's world: it exports the WASI interfaces that the component imports, and imports the log and
/// the clock.
fn world(component: &[u8]) -> anyhow::Result<(Resolve, WorldId)> {
    let (resolve, world) = match wit_component::decode(component)? {
        DecodedWasm::Component(resolve, world) => (resolve, world),
        DecodedWasm::WitPackage(..) => anyhow::bail!("it holds interfaces only"),
    };
    let mut text = String::from(
        "package iac:wasi;\nworld adapter {\n  import iac:plugin/log@0.1.0;\n  import iac:plugin/clock@0.1.0;\n",
    );
    for (_, item) in &resolve.worlds[world].imports {
        if let WorldItem::Interface { id, .. } = item
            && let Some(name) = resolve.id_of(*id).filter(|name| name.starts_with("wasi:"))
        {
            writeln!(text, "  export {name};")?;
        }
    }
    text.push_str("}\n");
    for (id, package) in &resolve.packages {
        if package.name.namespace == "wasi" {
            let mut printer = WitPrinter::default();
            printer.emit_docs(false).print_package(&resolve, id, false)?;
            writeln!(text, "{}", String::from(printer.output))?;
        }
    }
    text.push_str(OURS);
    let mut made = Resolve::default();
    let package = made.push_source("adapter.wit", &text)?;
    let world = made.select_world(&[package], Some("adapter"))?;
    Ok((made, world))
}

/// Writes the code of the adapter.
fn module(resolve: &Resolve, world: WorldId) -> String {
    let mut sizes = SizeAlign::default();
    sizes.fill(resolve);
    let mut code =
        Code { sizes, resolve, resources: BTreeSet::new(), functions: String::new(), said: Vec::new() };
    for (_, item) in &resolve.worlds[world].exports {
        if let WorldItem::Interface { id, .. } = item
            && let Some(name) = resolve.id_of(*id)
        {
            resolve.interfaces[*id].functions.values().for_each(|function| code.export(&name, function));
        }
    }
    code.text()
}

struct Code<'a> {
    resolve: &'a Resolve,
    sizes: SizeAlign,
    /// The interface and the name of each resource. Handles need them.
    resources: BTreeSet<(String, String)>,
    functions: String,
    /// The messages about missing functions, one for each function.
    said: Vec<String>,
}

/// The address of `said` in memory.
const WORDS: usize = 5_120;

impl Code<'_> {
    fn export(&mut self, interface: &str, function: &Function) {
        let signature = self.resolve.wasm_signature(AbiVariant::GuestExport, function);
        let bare = interface.split('@').next().unwrap_or(interface);
        let known = format!("{}#{}", bare.trim_start_matches("wasi:"), function.name);
        let body = match self.handle(interface, &known, function) {
            Some(body) => body,
            None => match answer(&known) {
                Some(body) => body.to_owned(),
                None => self.refuse(&format!("{bare}#{}", function.name), function, &signature),
            },
        };
        let types = |word: &str, types: &[WasmType]| {
            let types: Vec<&str> = types.iter().map(|ty| wat_type(*ty)).collect();
            if types.is_empty() { String::new() } else { format!(" ({word} {})", types.join(" ")) }
        };
        let (params, results) = (types("param", &signature.params), types("result", &signature.results));
        let name = &function.name;
        self.functions += &format!("  (func (export \"{interface}#{name}\"){params}{results}\n    {body})\n");
    }

    /// Returns the body of a function that returns a new stream or pollable.
    fn handle(&mut self, interface: &str, known: &str, function: &Function) -> Option<String> {
        let (before, number) = match known {
            "cli/stdin#get-stdin" => ("", 0),
            "cli/stdout#get-stdout" => ("", 1),
            "cli/stderr#get-stderr" => ("", 2),
            "io/streams#[method]input-stream.subscribe" | "io/streams#[method]output-stream.subscribe" => {
                ("", 1)
            }
            "clocks/monotonic-clock#subscribe-duration" => ("(call $sleep (local.get 0))", 1),
            "clocks/monotonic-clock#subscribe-instant" => {
                ("(call $sleep (i64.sub (local.get 0) (call $monotonic)))", 1)
            }
            _ => return None,
        };
        let version = interface.split_once('@').map_or("", |(_, version)| version);
        let (of, resource) = self.owned(function.result.as_ref()?)?;
        let of = of.split('@').next().map(|bare| format!("{bare}@{version}")).unwrap_or(of);
        let made = format!("(call ${resource} (i32.const {number}))");
        self.resources.insert((of, resource));
        Some(format!("{before} {made}"))
    }

    /// Returns the interface and the name of the resource that a type owns.
    fn owned(&self, ty: &Type) -> Option<(String, String)> {
        let Type::Id(id) = ty else { return None };
        let TypeDefKind::Handle(wit_parser::Handle::Own(id)) = &self.resolve.types[*id].kind else {
            return None;
        };
        let mut id = *id;
        while let TypeDefKind::Type(Type::Id(inner)) = &self.resolve.types[id].kind {
            id = *inner;
        }
        let wit_parser::TypeOwner::Interface(of) = self.resolve.types[id].owner else { return None };
        Some((self.resolve.id_of(of)?, self.resolve.types[id].name.clone()?))
    }

    /// Returns the body of a function that plugins do not have. It writes a line to the log, then returns an error or
    /// an empty value if its type has one. Otherwise it ends the call.
    fn refuse(&mut self, name: &str, function: &Function, signature: &WasmSignature) -> String {
        let number = self.said.len();
        let text = format!("{name} is not there for plugins");
        let at = WORDS + self.said.iter().map(String::len).sum::<usize>();
        let say = format!(
            "(if (i32.eqz (global.get $said{number})) (then (global.set $said{number} (i32.const 1)) \
             (call $log (i32.const 1) (i32.const {at}) (i32.const {}))))",
            text.len()
        );
        self.said.push(text);
        let answer = match (&function.result, self.nothing(function.result.as_ref(), signature)) {
            (None, _) => String::new(),
            (Some(_), Some(answer)) => answer,
            (Some(_), None) => "(unreachable)".to_owned(),
        };
        format!("{say} {answer}")
    }

    /// Returns the result in place of an answer: an error, or an empty list, string or option.
    fn nothing(&self, result: Option<&Type>, signature: &WasmSignature) -> Option<String> {
        match self.kind(result?) {
            Kind::Empty if signature.retptr => Some("(call $zeros)".to_owned()),
            Kind::Result { error: None, .. } if !signature.retptr => Some("(i32.const 1)".to_owned()),
            Kind::Result { error: Some(case), payload } if signature.retptr => Some(format!(
                "(drop (call $zeros)) (i32.store8 (i32.const 16) (i32.const 1)) \
                 (i32.store8 (i32.const {}) (i32.const {case})) (i32.const 16)",
                16 + payload
            )),
            _ => None,
        }
    }

    fn kind(&self, ty: &Type) -> Kind {
        let Type::Id(id) = ty else { return if *ty == Type::String { Kind::Empty } else { Kind::Other } };
        match &self.resolve.types[*id].kind {
            TypeDefKind::Type(inner) => self.kind(inner),
            TypeDefKind::List(_) | TypeDefKind::Option(_) => Kind::Empty,
            TypeDefKind::Result(result) => {
                let cases = [result.ok.as_ref(), result.err.as_ref()];
                let payload = self.sizes.payload_offset(wit_parser::Int::U8, cases).size_wasm32();
                match result.err.as_ref().map(|error| self.plain_case(error)) {
                    None => Kind::Result { error: None, payload },
                    Some(Some(case)) => Kind::Result { error: Some(case), payload },
                    Some(None) => Kind::Other,
                }
            }
            _ => Kind::Other,
        }
    }

    /// Returns the index of the first error case without a payload.
    fn plain_case(&self, error: &Type) -> Option<usize> {
        let Type::Id(id) = error else { return None };
        match &self.resolve.types[*id].kind {
            TypeDefKind::Type(inner) => self.plain_case(inner),
            TypeDefKind::Enum(_) => Some(0),
            TypeDefKind::Variant(variant) => variant.cases.iter().position(|case| case.ty.is_none()),
            _ => None,
        }
    }

    fn text(self) -> String {
        let mut text = String::from(
            "(module\n  (import \"iac:plugin/log@0.1.0\" \"write\" (func $log (param i32 i32 i32)))\n  \
             (import \"iac:plugin/clock@0.1.0\" \"now\" (func $now (param i32)))\n",
        );
        for (interface, resource) in &self.resources {
            text += &format!(
                "  (import \"[export]{interface}\" \"[resource-new]{resource}\" (func ${resource} (param i32) (result i32)))\n"
            );
        }
        text += RUNTIME;
        for number in 0..self.said.len() {
            text += &format!("  (global $said{number} (mut i32) (i32.const 0))\n");
        }
        text += &format!("  (data (i32.const {WORDS}) {:?})\n", self.said.concat());
        text + &self.functions + ")"
    }
}

enum Kind {
    /// All zeros mean an empty list, an empty string or no value.
    Empty,
    /// It is a `result`; `payload` is the address of the error.
    Result {
        error: Option<usize>,
        payload: usize,
    },
    Other,
}

fn wat_type(ty: WasmType) -> &'static str {
    match ty {
        WasmType::I64 | WasmType::PointerOrI64 => "i64",
        WasmType::F32 => "f32",
        WasmType::F64 => "f64",
        WasmType::I32 | WasmType::Pointer | WasmType::Length => "i32",
    }
}

/// Returns the body of a function that has an answer. Parameters are numbered. Results are at address 16.
fn answer(known: &str) -> Option<&'static str> {
    Some(match known {
        "cli/environment#get-environment"
        | "cli/environment#get-arguments"
        | "cli/environment#initial-cwd"
        | "cli/terminal-stdin#get-terminal-stdin"
        | "cli/terminal-stdout#get-terminal-stdout"
        | "cli/terminal-stderr#get-terminal-stderr"
        | "filesystem/preopens#get-directories"
        | "filesystem/types#filesystem-error-code"
        | "io/error#[method]error.to-debug-string"
        | "io/streams#[method]output-stream.flush"
        | "io/streams#[method]output-stream.blocking-flush" => "(call $zeros)",
        "cli/exit#exit" | "cli/exit#exit-with-code" => "(call $exit)",
        "io/streams#[method]output-stream.check-write" => {
            "(drop (call $zeros)) (i64.store (i32.const 24) (i64.const 65536)) (i32.const 16)"
        }
        "io/streams#[method]output-stream.write"
        | "io/streams#[method]output-stream.blocking-write-and-flush" => {
            "(call $write (local.get 0) (local.get 1) (local.get 2)) (call $zeros)"
        }
        // Standard input is always at its end: the error is `closed`.
        "io/streams#[method]input-stream.read"
        | "io/streams#[method]input-stream.blocking-read"
        | "io/streams#[method]input-stream.skip"
        | "io/streams#[method]input-stream.blocking-skip" => CLOSED,
        "io/poll#[method]pollable.ready" => "(i32.const 1)",
        "io/poll#[method]pollable.block" => "",
        "io/poll#poll" => POLL,
        "clocks/wall-clock#now" => {
            "(local $ms i64) (local.set $ms (call $milliseconds)) (drop (call $zeros)) \
             (i64.store (i32.const 16) (i64.div_u (local.get $ms) (i64.const 1000))) \
             (i32.store (i32.const 24) (i32.mul (i32.wrap_i64 (i64.rem_u (local.get $ms) (i64.const 1000))) (i32.const 1000000))) \
             (i32.const 16)"
        }
        "clocks/wall-clock#resolution" => {
            "(drop (call $zeros)) (i32.store (i32.const 24) (i32.const 1000000)) (i32.const 16)"
        }
        "clocks/monotonic-clock#now" => "(call $monotonic)",
        "clocks/monotonic-clock#resolution" => "(i64.const 1000)",
        "random/random#get-random-u64" | "random/insecure#get-insecure-random-u64" => "(call $random)",
        "random/random#get-random-bytes" | "random/insecure#get-insecure-random-bytes" => {
            "(if (i64.gt_u (local.get 0) (i64.const 16777216)) (then (unreachable))) \
             (call $random_bytes (i32.wrap_i64 (local.get 0)))"
        }
        "random/insecure-seed#insecure-seed" => {
            "(drop (call $zeros)) (i64.store (i32.const 16) (call $random)) \
             (i64.store (i32.const 24) (call $random)) (i32.const 16)"
        }
        _ => return None,
    })
}

/// The error is case 1 of the result, and `closed` is case 1 of the error. By its type, a result has its payload at
/// offset 4 or 8, so both are written.
const CLOSED: &str = "(drop (call $zeros)) (i32.store8 (i32.const 16) (i32.const 1)) \
    (i32.store8 (i32.const 20) (i32.const 1)) (i32.store8 (i32.const 24) (i32.const 1)) (i32.const 16)";

/// Everything is always ready: returns the list of all indices.
const POLL: &str = "(local $at i32) (local $each i32) \
    (local.set $at (call $alloc (i32.shl (local.get 1) (i32.const 2)))) \
    (block $done (loop $more (br_if $done (i32.ge_u (local.get $each) (local.get 1))) \
    (i32.store (i32.add (local.get $at) (i32.shl (local.get $each) (i32.const 2))) (local.get $each)) \
    (local.set $each (i32.add (local.get $each) (i32.const 1))) (br $more))) \
    (call $list (local.get $at) (local.get 1))";
