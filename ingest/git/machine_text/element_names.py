"""Elements that Visual Studio and NuGet write into a project: its lists, and the settings of its templates and dialogs.

Add: an element that a template or a dialog writes. Keep out: settings of which people choose the words (symbols,
options of compilers, folders of headers), and elements of build steps.
"""

from typing import Final

SETTINGS: Final = b"|".join(
    b"""
    Compile Reference None Content EmbeddedResource ProjectReference COMReference Folder Service BootstrapperPackage
    WCFMetadata WebReferences WebReferenceUrl Page ApplicationDefinition Resource Analyzer CodeAnalysisDictionary
    AndroidResource AndroidAsset BundleResource InterfaceDefinition EntityDeploy Shadow AppxManifest SDKReference
    HintPath Private SpecificVersion EmbedInteropTypes RequiredTargetFramework Aliases AutoGen DesignTime
    DesignTimeSharedInput DependentUpon SubType Generator LastGenOutput CustomToolNamespace CopyToOutputDirectory
    Link Name Project Package Guid VersionMajor VersionMinor Lcid WrapperTool Isolated Visible ProductName Install
    ReferenceOutputAssembly UrlBehavior RelPath UpdateFromURL ServiceLocationURL CachedDynamicPropName
    CachedAppSettingsObjectName CachedSettingsPropName Configuration Platform ProductVersion SchemaVersion
    ProjectGuid ProjectTypeGuids OutputType AppDesignerFolder RootNamespace AssemblyName TargetFrameworkVersion
    TargetFrameworkProfile TargetFrameworkIdentifier FileAlignment DebugSymbols DebugType Optimize OutputPath
    BaseIntermediateOutputPath ErrorReport WarningLevel PlatformTarget Prefer32Bit
    MinimumVisualStudioVersion VisualStudioVersion VSToolsPath SolutionDir RestorePackages NuGetPackageImportStamp
    FileUpgradeFlags UpgradeBackupLocation OldToolsVersion ProduceOutputsOnBuild CodeAnalysisRuleSet
    CodeAnalysisLogFile CodeAnalysisUseTypeNameInSuppression CodeAnalysisModuleSuppressionsFile
    CodeAnalysisRuleSetDirectories CodeAnalysisRuleDirectories CodeAnalysisIgnoreBuiltInRuleSets
    CodeAnalysisIgnoreBuiltInRules RunCodeAnalysis DocumentationFile StartupObject ApplicationIcon
    ApplicationManifest SignAssembly AssemblyOriginatorKeyFile DelaySign AutoGenerateBindingRedirects
    GenerateBindingRedirectsOutputType TestProjectType IsCodedUITest ReferencePath UseVSHostingProcess ConsolePause
    RegisterForComInterop NuGetProps UseIISExpress IISExpressSSLPort IISExpressAnonymousAuthentication
    IISExpressWindowsAuthentication IISExpressUseClassicPipelineMode UseGlobalApplicationHostFile MvcBuildViews
    MvcProjectUpgradeChecked EnableUpdateableWebConfig Use64BitIISExpress AutoAssignPort DevelopmentServerPort
    DevelopmentServerVPath IISUrl NTLMAuthentication UseCustomServer CustomServerUrl SaveServerSettingsInUserFile
    UseIIS WebProjectProperties FlavorProperties VisualStudio ProjectExtensions PublishUrl PublishUrlHistory
    InstallUrl InstallUrlHistory UpdateEnabled UpdateMode UpdateInterval UpdateIntervalUnits UpdatePeriodically
    UpdateRequired MapFileExtensions ApplicationRevision ApplicationVersion IsWebBootstrapper UseApplicationTrust
    BootstrapperEnabled ManifestCertificateThumbprint ManifestKeyFile GenerateManifests SignManifests MyType
    OptionExplicit OptionCompare OptionStrict OptionInfer DefineDebug DefineTrace Tailcalls AndroidApplication
    AndroidUseLatestPlatformSdk AndroidManifest AndroidResgenFile AndroidResgenClass AndroidLinkMode
    MonoAndroidResourcePrefix MonoAndroidAssetsPrefix AndroidSupportedAbis IPhoneResourcePrefix MtouchLink
    MtouchDebug MtouchArch CodesignKey CodesignEntitlements DeviceSpecificBuild ProjectConfiguration ClCompile
    ClInclude ResourceCompile Image Text Xml Manifest Midl Filter UniqueIdentifier Keyword ConfigurationType
    UseDebugLibraries PlatformToolset CharacterSet WholeProgramOptimization LinkIncremental OutDir IntDir UseOfMfc
    UseOfAtl WindowsTargetPlatformVersion ProjectName PrecompiledHeader SDLCheck ConformanceMode Optimization
    FunctionLevelLinking IntrinsicFunctions SubSystem GenerateDebugInformation EnableCOMDATFolding
    OptimizeReferences RuntimeLibrary DebugInformationFormat TargetMachine MinimalRebuild BasicRuntimeChecks
    InlineFunctionDeclaration ExcludedFromBuild ObjectFileName ExtensionSettings ExtensionTargets
    """.split()
)
"""The alternatives of a pattern."""
